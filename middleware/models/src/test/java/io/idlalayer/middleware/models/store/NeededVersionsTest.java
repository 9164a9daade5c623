package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which versions need the rows of which. */
final class NeededVersionsTest {
  private final List<Long> read = new ArrayList<>();
  private final Set<Long> damaged = new java.util.HashSet<>();

  /** Each version changes the rows of the one before, but for every tenth, which has all. */
  private final NeededVersions needs =
      new NeededVersions(
          version -> {
            read.add(version);
            if (damaged.contains(version)) {
              throw new CorruptModelException("damaged");
            }
            return manifest(version);
          });

  private static ModelManifest manifest(long version) {
    String kind = version % 10 == 0 ? ModelManifest.FULL_ROWS : ModelManifest.ROW_CHANGES;
    return new ModelManifest(
        1,
        "app",
        0,
        version,
        version - 1,
        "",
        0,
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(Map.of(ModelManifest.ROWS, kind)),
        List.of());
  }

  @Test
  void with_rootsInTheMiddleOfChains_goesDownToAllRowsAndReadsOnce() throws IOException {
    assertThat(needs.with(Set.of(12L, 34L)))
        .containsExactlyInAnyOrder(12L, 11L, 10L, 34L, 33L, 32L, 31L, 30L);
    assertThat(read).hasSize(8);
    needs.with(Set.of(13L, 34L));
    assertThat(read).hasSize(9);
    needs.keepOnly(List.of(33L));
    read.clear();
    needs.with(Set.of(33L));
    assertThat(read).containsExactly(32L, 31L, 30L);
  }

  @Test
  void with_moreThanMayBeRead_isKnownAfterSeveralTimes() throws IOException {
    Set<Long> roots = new java.util.HashSet<>();
    for (long version = 100; version < 110; version++) {
      roots.add(version);
    }
    assertThat(needs.with(roots, 4)).isEmpty();
    assertThat(needs.with(roots, 4)).isEmpty();
    assertThat(needs.with(roots, 4)).contains(roots);
    assertThat(read).hasSize(10).doesNotHaveDuplicates();
  }

  @Test
  void with_aManifestThatIsDamaged_looksAgainTheNextTime() throws IOException {
    damaged.add(33L);
    assertThat(needs.with(Set.of(34L))).containsExactlyInAnyOrder(34L, 33L);
    damaged.clear();
    assertThat(needs.with(Set.of(34L))).containsExactlyInAnyOrder(34L, 33L, 32L, 31L, 30L);
  }
}
