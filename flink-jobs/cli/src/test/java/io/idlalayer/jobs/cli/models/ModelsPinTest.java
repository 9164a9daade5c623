package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that say which version serves. */
final class ModelsPinTest {
  @TempDir Path folder;
  private final IdlaRun idla = new IdlaRun();
  private ThreeVersions versions;
  private ModelStore store;

  @BeforeEach
  void publishThree() throws IOException {
    store = new ModelStore(folder, InstantSource.system());
    versions = new ThreeVersions(store);
  }

  private int run(Object... parts) {
    List<Object> all = new ArrayList<>(List.of(parts));
    all.addAll(List.of("--models-dir", folder));
    return idla.run(all.toArray());
  }

  @Test
  void pin_andUnpin_sayWhichVersionServes() throws IOException {
    assertThat(run("models pin clicks 1 --reason", List.of("the audit wants it"))).isZero();
    assertThat(idla.out())
        .contains("clicks/0: v1 serves from now on, pinned at ")
        .contains("until it is unpinned: the audit wants it");
    versions.publish();
    assertThat(versions.serving()).isEqualTo(1);
    assertThat(run("models list")).isZero();
    assertThat(idla.out()).contains(" * v4 ").contains("   v1 serves: pinned at ");
    assertThat(run("models show clicks")).isZero();
    assertThat(idla.out()).as("what serves is shown").contains("\"version\" : 1");
    assertThat(run("models unpin clicks")).isZero();
    assertThat(idla.out()).contains("clicks/0: the current version serves again");
    assertThat(versions.serving()).isEqualTo(4);
    assertThat(run("models unpin clicks")).isZero();
    assertThat(idla.out()).contains("no version was pinned");
  }

  @Test
  void rollback_goesOneBackEachTime_untilANewerVersion() throws IOException {
    assertThat(run("models rollback clicks")).isZero();
    assertThat(idla.out()).contains("v2 serves from now on").contains("a version above v3");
    assertThat(run("models rollback clicks")).isZero();
    assertThat(versions.serving()).isEqualTo(1);
    assertThat(run("models rollback clicks")).isEqualTo(Terminal.FAILED);
    assertThat(idla.err()).contains("clicks has no version before v1 to go back to");
    versions.publish();
    assertThat(versions.serving()).isEqualTo(4);
    assertThat(run("models rollback clicks --to 2")).isZero();
    assertThat(versions.serving()).isEqualTo(2);
  }

  @Test
  void wrongUse_isRefusedAndNothingChanges() throws IOException {
    assertThat(run("models pin clicks 9")).isEqualTo(Terminal.FAILED);
    assertThat(idla.err()).contains("version 9 is not there");
    assertThat(run("models pin clicks 0")).isEqualTo(Terminal.BAD_USAGE);
    assertThat(run("models pin", List.of("no such name"), 1)).isEqualTo(Terminal.BAD_USAGE);
    assertThat(run("models rollback clicks --to 3")).isEqualTo(Terminal.BAD_USAGE);
    assertThat(idla.err()).contains("v3 is the current version or newer");
    for (String none : List.of("0", "-3")) {
      assertThat(run("models rollback clicks --to", none)).isEqualTo(Terminal.BAD_USAGE);
      assertThat(idla.err()).contains("--to must be at least 1, not " + none);
    }
    assertThat(run("models rollback other")).isEqualTo(Terminal.FAILED);
    assertThat(idla.err()).contains("other has published no model");
    assertThat(versions.serving()).isEqualTo(3);
    assertThat(store.pin("clicks", 0)).isEmpty();
  }
}
