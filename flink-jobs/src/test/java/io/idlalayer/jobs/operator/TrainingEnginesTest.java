package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.learner.LastingFailureException;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TrainingEnginesTest {
  @TempDir Path folder;

  private ApplicationSettings application(String fastBytes) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: engines-of-learners
        partitions: 4
        input: {format: csv, columns: [a, y], features: [a], label: y, classes: 2}
        memory: {tensors: {fast-bytes: %s}}
        """
            .formatted(fastBytes));
    return ApplicationFileReader.read(file, variable -> null);
  }

  @Test
  void engines_tooLittleForTheirTrainings_areRefusedAndTheMessageNamesTheSum() throws Exception {
    List<ApplicationSettings> little = List.of(application("128KiB"));
    new TrainingEngines(little, folder.toString(), 2).close();
    assertThatThrownBy(() -> new TrainingEngines(little, folder.toString(), 8))
        .as("four partitions never train more than four at a time")
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("engines-of-learners: memory.tensors.fast-bytes: 131,072 fast bytes")
        .hasMessageContaining("4 trainings at a time in one process")
        .hasMessageContaining("65,536 each, 262,144 together");
  }

  @Test
  void acquire_ofOneApplication_givesAllSubtasksTheSameMemory() throws Exception {
    ApplicationSettings application = application("1MiB");
    TensorShares first = ProcessTensors.acquire(application, folder.toString(), 2);
    TensorShares second = ProcessTensors.acquire(application, folder.toString(), 2);
    assertThat(second).isSameAs(first);
    first.leave();
    second.leave();
    TensorShares restarted = ProcessTensors.acquire(application, folder.toString(), 2);
    assertThat(restarted).as("its DRAM is used again").isSameAs(first);
    restarted.leave();
    TensorShares other = ProcessTensors.acquire(application("2MiB"), folder.toString(), 2);
    assertThat(other).isNotSameAs(first);
    other.leave();
  }
}
