package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What one extreme row among 8,000 costs: each part of a stream is scored by the model before it,
 * then trained, as a learner does it.
 */
@Tag("natives")
final class RobustScalingTest {
  private static final int ROWS = 8_000;
  private static final int PART = 1_000;
  private static final double MOST_LOST = 0.005;
  private static final double MOST_LOST_OF_A_REGRESSION = 0.01;

  private static final ModelSpec CLASSES =
      Trainings.mlp(
          Trainings.classes(4, 2), new ModelSpec.Fit(64, 1, ModelSpec.Updater.ADAM, 0.02, 0));
  private static final ModelSpec TARGET =
      Trainings.mlp(Trainings.target(4), new ModelSpec.Fit(64, 1, ModelSpec.Updater.ADAM, 0.02, 0));

  private static final int STARTS = 5;

  private static double cleanAccuracy;
  private static double cleanFit;

  /** Features of four very different scales, the last of them 0 or 1. */
  private static List<Sample> stream(boolean regression) {
    SplittableRandom random = new SplittableRandom(11);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      double a = random.nextDouble() * 2 - 1;
      double b = random.nextDouble() * 2 - 1;
      double c = random.nextDouble() * 2 - 1;
      int flag = random.nextInt(2);
      double[] x = {a, (500 + 100 * b), (1e-3 * c), flag};
      double score = a + b - c + 0.5 * (flag - 0.5);
      samples.add(Sample.of(x, regression ? (2_000 + 300 * score) : score > 0 ? 1 : 0));
    }
    return samples;
  }

  /** The mean quality from several first networks, as one of them may be a lucky one. */
  private static double quality(ModelSpec spec, List<Sample> stream, int extreme) throws Exception {
    double sum = 0;
    for (int start = 0; start < STARTS; start++) {
      sum += quality(spec, stream, extreme, 1 + 1_000 * start);
    }
    return sum / STARTS;
  }

  /**
   * The part of right answers, or of the targets' spread that is explained, over the second half of
   * all rows but the extreme one.
   */
  private static double quality(ModelSpec spec, List<Sample> stream, int extreme, int firstUpdate)
      throws Exception {
    boolean regression = spec.outputWidth() == 1;
    ModelArtifact model = null;
    double good = 0;
    double error = 0;
    double spread = 0;
    int counted = 0;
    try (Trainer trainer = Trainings.dl4j(spec)) {
      for (int from = 0, update = firstUpdate; from < stream.size(); from += PART, update++) {
        List<Sample> part = stream.subList(from, from + PART);
        if (model != null) {
          try (Dl4jModel serving = Dl4jModel.load(model)) {
            double[][] predictions = serving.predict(part);
            for (int i = 0; i < predictions.length; i++) {
              double label = part.get(i).label();
              if (from + i == extreme || from < ROWS / 2) {
                continue;
              }
              counted++;
              if (regression) {
                error += Math.abs(predictions[i][0] - label);
                spread += Math.abs(2_000 - label);
              } else {
                good += predictions[i][1] > predictions[i][0] == (label == 1) ? 1 : 0;
              }
            }
          }
        }
        model =
            trainer
                .train(new TrainingRequest(model, Trainings.batch(update, part), update))
                .model();
      }
    }
    return regression ? 1 - error / spread : good / counted;
  }

  @BeforeAll
  static void clean() throws Exception {
    cleanAccuracy = quality(CLASSES, stream(false), -1);
    cleanFit = quality(TARGET, stream(true), -1);
  }

  @Test
  void train_cleanStream_isLearned() {
    assertThat(cleanAccuracy).isGreaterThan(0.96);
    assertThat(cleanFit).isGreaterThan(0.8);
  }

  @ParameterizedTest
  @CsvSource({"0,0,1e9", "4100,1,3e38", "4100,3,-1e9"})
  void train_extremeFeature_costsAtMostHalfAPointOfAccuracy(int at, int column, double value)
      throws Exception {
    List<Sample> stream = stream(false);
    stream.get(at).dense()[column] = value;
    assertThat(quality(CLASSES, stream, at)).isGreaterThan(cleanAccuracy - MOST_LOST);
  }

  @ParameterizedTest
  @CsvSource({"0,-1,1e9", "4100,-1,-3e38", "4100,1,3e38"})
  void train_extremeTargetOrFeature_costsARegressionAtMostAPoint(int at, int column, double value)
      throws Exception {
    List<Sample> stream = stream(true);
    Sample old = stream.get(at);
    if (column < 0) {
      stream.set(at, Sample.of(old.dense(), value));
    } else {
      old.dense()[column] = value;
    }
    assertThat(quality(TARGET, stream, at)).isGreaterThan(cleanFit - MOST_LOST_OF_A_REGRESSION);
  }
}
