package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

final class TrainingEnginesTest {
  @TempDir Path folder;

  private ApplicationSettings application(String fastBytes) throws Exception {
    return application(fastBytes, "");
  }

  /**
   * @param sections further ones, each line ended
   */
  private ApplicationSettings application(String fastBytes, String sections) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"),
        """
        name: engines-of-learners
        partitions: 4
        input: {format: csv, columns: [a, y], features: [a], label: y, classes: 2}
        model: {hidden: [64, 32]}
        memory: {tensors: {fast-bytes: %s}}
        %s\
        """
            .formatted(fastBytes, sections));
  }

  @Test
  void engines_tooLittleForTheirTrainings_areRefusedAndTheMessageNamesTheSum() throws Exception {
    List<ApplicationSettings> little = List.of(application("128KiB"));
    new TrainingEngines(little, new TensorFolder.Defaults(folder.toString(), null), 2).close();
    assertThatThrownBy(
            () ->
                new TrainingEngines(little, new TensorFolder.Defaults(folder.toString(), null), 8))
        .as("four partitions never train more than four at a time")
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("engines-of-learners: memory.tensors.fast-bytes: 131,072 fast bytes")
        .hasMessageContaining("4 trainings at a time in one process")
        .hasMessageContaining("65,536 each, 262,144 together");
  }

  @Test
  void engines_withTooFewSlowBytes_areRefusedAtTheStart() throws Exception {
    ApplicationSettings few = application("64KiB, slow-bytes: 4KiB");
    assertThatThrownBy(
            () ->
                new TrainingEngines(
                    List.of(few), new TensorFolder.Defaults(folder.toString(), null), 1))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageMatching(
            "engines-of-learners: memory\\.tensors\\.slow-bytes: 4,096 bytes are too few .*"
                + "beside 65,536 fast bytes; it needs [0-9,]+");
  }

  /** The features of a thousand rows alone would take 256 KB. */
  @Test
  void engines_whoseUpdatesAreSmall_needPlaceForThoseOnly() throws Exception {
    String tensors = "64KiB, slow-bytes: 192KiB, policy: all-slow";
    ApplicationSettings large = application(tensors);
    assertThatThrownBy(
            () ->
                new TrainingEngines(
                    List.of(large), new TensorFolder.Defaults(folder.toString(), null), 1))
        .isInstanceOf(LastingFailureException.class);
    ApplicationSettings small =
        application(tensors, "update: {max-batch: 4}\nselection: {replay-budget: 3}\n");
    new TrainingEngines(List.of(small), new TensorFolder.Defaults(folder.toString(), null), 1)
        .close();
    ApplicationSettings replaying =
        application(tensors, "update: {max-batch: 4}\nselection: {replay-budget: 4096}\n");
    assertThatThrownBy(
            () ->
                new TrainingEngines(
                    List.of(replaying), new TensorFolder.Defaults(folder.toString(), null), 1))
        .isInstanceOf(LastingFailureException.class);
  }

  @Test
  void engines_withTooFewFastBytesForTheirPolicy_areRefusedWithTheSumOfTheirTrainings()
      throws Exception {
    ApplicationSettings few = application("128KiB, policy: all-fast");
    assertThatThrownBy(
            () ->
                new TrainingEngines(
                    List.of(few), new TensorFolder.Defaults(folder.toString(), null), 2))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageMatching(
            "engines-of-learners: memory\\.tensors\\.fast-bytes: 65,536 bytes are too few .*"
                + "it needs [0-9,]+, and [0-9,]+ for 2 trainings at a time");
  }

  @Tag("natives")
  @Test
  void status_saysWhatOfTheTrainingHasNoEffect() throws Exception {
    ISchedule falling = new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 5_000);
    Files.writeString(
        folder.resolve("network.json"),
        new NeuralNetConfiguration.Builder()
            .updater(new Sgd(falling))
            .list()
            .layer(new OutputLayer.Builder().nIn(1).nOut(2).activation(Activation.SOFTMAX).build())
            .build()
            .toJson());
    ApplicationSettings application =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            """
            name: engines-of-learners
            input: {format: csv, columns: [a, y], features: [a], label: y, classes: 2}
            model: {type: dl4j-json, file: network.json}
            """);
    try (TrainingEngines engines =
        new TrainingEngines(
            List.of(application), new TensorFolder.Defaults(folder.toString(), null), 1)) {
      Status.Engine said = engines.status(application);
      assertThat(said.name()).startsWith("deeplearning4j");
      assertThat(said.reason()).contains("the learning rate has a schedule of ScheduleType.EPOCH");
      assertThat(said.warnings()).singleElement().asString().contains("stay at their first value");
    }
  }

  @Test
  void acquire_ofOneApplication_givesAllSubtasksTheSameMemory() throws Exception {
    ApplicationSettings application = application("1MiB");
    TensorShares first =
        ProcessTensors.acquire(application, new TensorFolder.Defaults(folder.toString(), null), 2);
    TensorShares second =
        ProcessTensors.acquire(application, new TensorFolder.Defaults(folder.toString(), null), 2);
    assertThat(second).isSameAs(first);
    first.leave();
    second.leave();
    TensorShares restarted =
        ProcessTensors.acquire(application, new TensorFolder.Defaults(folder.toString(), null), 2);
    assertThat(restarted).as("its DRAM is used again").isSameAs(first);
    restarted.leave();
    TensorShares other =
        ProcessTensors.acquire(
            application("2MiB"), new TensorFolder.Defaults(folder.toString(), null), 2);
    assertThat(other).isNotSameAs(first);
    other.leave();
  }
}
