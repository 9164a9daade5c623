package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.DataSettings;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IndexRoomTest {
  private static final long GIB = 1L << 30;

  @TempDir Path folder;

  private ApplicationSettings application(String name, long maxSamples) throws Exception {
    Path file = folder.resolve(name + ".yaml");
    Files.writeString(
        file,
        """
        name: %s
        partitions: 2
        input: {format: csv, columns: [id, a, y], features: [a], label: y, classes: 2, id: id}
        selection: {max-samples: %d}
        """
            .formatted(name, maxSamples));
    return ApplicationFileReader.read(file, variable -> null);
  }

  @Test
  void aSample_takesAsManyBytesAsTheDocumentsSay() throws Exception {
    ApplicationSettings million = application("app", 1_000_000);
    assertThat(IndexRoom.bytes(million, 1_000_000) / 1_000_000).isBetween(150L, 175L);
    DataSettings defaults = DataSettings.defaults();
    assertThat(defaults.maxSamples()).isEqualTo(1_000_000);
  }

  @Test
  void learnersThatDoNotFitTogether_areRefusedBeforeTheRun() throws Exception {
    List<ApplicationSettings> both =
        List.of(application("one", 1_000_000), application("two", 2_000_000));
    assertThat(IndexRoom.problem(both, 4 * GIB)).isNull();
    assertThat(IndexRoom.problem(both, GIB))
        .contains("one: 2 x 1,000,000 samples of up to 1")
        .contains("two: 2 x 2,000,000 samples of up to 1")
        .contains("the heap is 1,024 MiB")
        .containsPattern("set IDLA_HEAP=1[0-9]{3}m or lower selection.max-samples");
  }

  @Test
  void aLearnerMoreThanFits_isRefused_untilAnotherIsClosed() throws Exception {
    ApplicationSettings million = application("app", 1_000_000);
    IndexRoom room = new IndexRoom(450L << 20);
    room.take("app/0", million);
    room.take("app/1", million);
    assertThatThrownBy(() -> room.take("app/2", million))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("learner app/2 needs 1")
        .hasMessageContaining("selection.max-samples allows")
        .hasMessageContaining("IDLA_HEAP")
        .hasMessageContaining("taskmanager.memory.task.heap.size");
    room.take("app/1", million);
    room.release("app/0");
    room.take("app/2", million);
  }

  @Test
  void stateWithMoreSamplesThanFit_isRefusedWhileItIsRead() throws Exception {
    ApplicationSettings few = application("app", 1_000);
    IndexRoom room = new IndexRoom(100L << 20);
    room.take("app/0", few);
    room.loaded("app/0", few, 1_000);
    room.loaded("app/0", few, 100_000);
    assertThatThrownBy(() -> room.loaded("app/0", few, 1_000_000))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("index of 1,000,000 samples, which the state that it continues from");
  }

  @Test
  void moreSamplesThanAnIndexCanHold_areRefusedByTheFile() {
    assertThatThrownBy(() -> application("app", 1_000_000_000))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("1000000000 is not between 1 and 536870912");
  }
}
