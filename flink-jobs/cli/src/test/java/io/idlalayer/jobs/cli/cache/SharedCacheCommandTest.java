package io.idlalayer.jobs.cli.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.shared.SharedHotCache;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedCacheCommandTest {
  private static final CacheSettings SETTINGS = new CacheSettings(4 << 20, PolicyName.LRU);

  @TempDir Path folder;

  private final IdlaRun idla = new IdlaRun();

  private SharedHotCache cache(String cluster) throws IOException {
    return new SharedHotCache(folder, cluster, SETTINGS, InstantSource.system().millis());
  }

  @Test
  void delete_besideALivingProcess_deletesWhatNobodyUses() throws Exception {
    assertThat(idla.printed("shared-cache", folder.toString())).contains("no shared cache files");
    cache("gone").close();
    try (SharedHotCache living = cache("lives")) {
      living.round(InstantSource.system().millis());
      assertThat(idla.printed("shared-cache", folder.toString()))
          .contains(".cache", "not in use", "  in use");

      String printed = idla.printed("shared-cache", folder.toString(), "--delete");

      assertThat(printed).contains("deleted", "  in use").doesNotContain("not in use");
    }
    idla.printed("shared-cache", "--delete", folder.toString());
    assertThat(idla.printed("shared-cache", folder.toString())).contains("no shared cache files");
  }

  @Test
  void directory_thatIsMissing_isRefused() {
    idla.assertUsage(
        "is not a directory", List.of("shared-cache"), List.of(folder.resolve("none").toString()));
  }
}
