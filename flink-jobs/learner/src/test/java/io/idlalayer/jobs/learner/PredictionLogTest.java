package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.predictions.PredictionFile;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of predictions beside what the learner counts, also across restarts. */
final class PredictionLogTest {
  private static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of("site", "weight", "clicked"),
          List.of(),
          List.of(new SampleSchema.CategoricalFeature("site", 4)),
          List.of(),
          new SampleSchema.Label("clicked", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
          null,
          new SampleSchema.Weight("weight", Double.NaN));

  private final SplittableRandom random = new SplittableRandom(5);
  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = folder.resolve("p.csv");
  }

  private static Sample click(int site, double label, double weight) {
    return new Sample("", new double[0], new int[] {site + 1}, IdLists.NONE, label)
        .withWeight(weight);
  }

  private VirtualTimeLearner learner() {
    ApplicationSettings settings =
        LearnerSettings.learning(
            LearnerSimulation.settings(UpdateSettings.defaults(), DataSettings.defaults()),
            SCHEMA,
            new ModelSpec.Network.Mlp(List.of(8)),
            new ModelSpec.Fit(32, 2, ModelSpec.Updater.ADAM, 0.003, 0));
    VirtualTimeLearner learner =
        VirtualTimeLearner.of(
                settings,
                () ->
                    EngineChoice.of(EngineName.ONEDNN, settings.model(), null, JavaKernels::new)
                        .trainer(settings.name(), false),
                Dl4jModel::load)
            .trainingSeconds(0.01, 0.0001);
    learner.predictions = new PredictionFile(file, SCHEMA.label());
    return learner;
  }

  private void clicks(VirtualTimeLearner learner, int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      Sample sample = click(random.nextInt(2), random.nextInt(2), random.nextInt(4));
      learner.arrive(sample, ContentHasher.of(sample));
      learner.pass(2);
    }
  }

  private List<String[]> rows() throws IOException {
    List<String> lines = Files.readAllLines(file);
    assertThat(lines.get(0))
        .isEqualTo(
            "partition,offset,id,label,weight,update,predicted,probability,p:0,p:1,loss,reason");
    return lines.stream().skip(1).map(line -> line.split(",", -1)).toList();
  }

  /** Each event has one row, and the log loss of the rows is the one that the learner reports. */
  private void assertAgrees(VirtualTimeLearner learner, long events) throws IOException {
    List<Long> offsets = new ArrayList<>();
    double loss = 0;
    double weights = 0;
    long predicted = 0;
    for (String[] row : rows()) {
      offsets.add(Long.parseLong(row[1]));
      if (!row[11].isEmpty()) {
        assertThat(row[11]).isEqualTo("no model yet");
        continue;
      }
      double probability = Double.parseDouble(row[8 + Integer.parseInt(row[3])]);
      assertThat(row[7]).isEqualTo(row[8 + Integer.parseInt(row[3])]);
      assertThat(Long.parseLong(row[5])).isPositive();
      loss -= Double.parseDouble(row[4]) * Math.log(Math.max(1e-7, probability));
      weights += Double.parseDouble(row[4]);
      predicted++;
    }
    assertThat(offsets).hasSize((int) events).isSorted().doesNotHaveDuplicates();
    PrequentialSummary summary = learner.last().status().prequential();
    assertThat(predicted).isEqualTo(summary.scored()).isPositive();
    assertThat(loss / weights)
        .isCloseTo(Objects.requireNonNull(summary.classification()).logLoss(), within(1e-6));
  }

  @Test
  void arrive_events_haveOneRowEachWithTheLossOfTheReport() throws Exception {
    try (VirtualTimeLearner learner = learner().open()) {
      clicks(learner, 600);
      learner.end();
      learner.pass(60_000);
      assertAgrees(learner, 600);
    }
  }

  @Test
  void restart_fromAnEarlierCheckpoint_rewritesTheRowsAfterIt() throws Exception {
    try (VirtualTimeLearner learner = learner().open()) {
      clicks(learner, 300);
      learner.learner().beforeCheckpoint();
      FakeLearnerState checkpoint = learner.state.copy();
      long position = learner.position();
      clicks(learner, 200);
      learner.closeLearner();
      assertThat(rows()).hasSizeGreaterThan(400);

      learner.state = checkpoint.copy();
      learner.goBackTo(position);
      learner.predictions = new PredictionFile(file, SCHEMA.label());
      learner.open();
      assertThat(rows()).hasSize(300);
      clicks(learner, 250);
      learner.end();
      learner.pass(60_000);
      assertAgrees(learner, 550);
    }
  }

  @Test
  void open_whereRowsAreMissing_isRefused() throws Exception {
    try (VirtualTimeLearner learner = learner().open()) {
      clicks(learner, 100);
      learner.learner().beforeCheckpoint();
      learner.closeLearner();
      Files.writeString(file, "partition\n");
      learner.predictions = new PredictionFile(file, SCHEMA.label());
      assertThatThrownBy(learner::openLearner).hasMessageContaining("p.csv has 10 bytes, but had");
      Files.delete(file);
      learner.state.put(LearnerState.Slot.PREDICTIONS, null);
      learner.predictions = new PredictionFile(file, SCHEMA.label());
      learner.openLearner();
    }
  }

  /** One of ten events without a click is kept, with weight 10. */
  @Test
  void arrive_thinnedClicks_learnTheRateOfAllEvents() throws Exception {
    try (VirtualTimeLearner learner = learner().open()) {
      for (int i = 0; i < 40_000; i++) {
        boolean clicked = random.nextDouble() < 0.1;
        if (clicked || random.nextInt(10) == 0) {
          Sample sample = click(0, clicked ? 1 : 0, clicked ? 1 : 10);
          learner.arrive(sample, ContentHasher.of(sample));
          learner.pass(2);
        }
      }
      learner.end();
      learner.pass(60_000);
      try (Dl4jModel model =
          Dl4jModel.load(
              Objects.requireNonNull(LearnerWorld.accepted(learner.written())).artifact())) {
        assertThat(model.predict(List.of(click(0, Sample.NO_LABEL, 1)))[0][1])
            .isCloseTo(0.1, within(0.03));
      }
      PrequentialSummary.Classification quality =
          Objects.requireNonNull(learner.last().status().prequential().classification());
      // The entropy of the rate is 0.325; without weights the stream's would be 0.69.
      assertThat(quality.logLoss()).isCloseTo(0.325, within(0.03));
      assertThat(quality.majorityAccuracy()).isCloseTo(0.9, within(0.02));
    }
  }
}
