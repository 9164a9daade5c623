package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file whose reads end when the test wants. */
final class RuleWatchTest {
  @TempDir Path folder;
  private final Deque<Runnable> reads = new ArrayDeque<>();

  @Test
  void look_aFileSystemThatDoesNotAnswer_neverWaitsAndIsSaidOnce() throws Exception {
    Path file = folder.resolve("stages.fcl");
    DataSettings.Staging shipped = DataSettings.defaults().staging();
    Files.writeString(file, shipped.rules());
    DataSettings.Staging staging =
        new DataSettings.Staging(
            shipped.contribution(),
            DataSettings.Score.RULES,
            shipped.rules(),
            file.toString(),
            FuzzyEngines.Kind.BUILT_IN,
            0);
    // Unchanged rules never reach the data controller.
    RuleWatch watch = new RuleWatch(staging, null, reads::add);
    assertThat(watch.look(0)).isNull();
    assertThat(reads).hasSize(1);
    for (long millis = 1; millis < RuleWatch.SLOW_MILLIS; millis += 1000) {
      assertThat(watch.look(millis)).isNull();
    }
    assertThat(watch.look(RuleWatch.SLOW_MILLIS))
        .isEqualTo(
            "kept the rules; %s cannot be read: nothing has come for 30 s, check its file system"
                .formatted(file));
    assertThat(watch.look(2 * RuleWatch.SLOW_MILLIS)).isNull();
    assertThat(reads).as("one read at a time").hasSize(1);
    reads.remove().run();
    assertThat(watch.look(2 * RuleWatch.SLOW_MILLIS + 1))
        .isEqualTo("the rule file " + file + " can be read again");
    assertThat(watch.look(2 * RuleWatch.SLOW_MILLIS + 2)).isNull();
    assertThat(reads).as("the next read").hasSize(1);
  }
}
