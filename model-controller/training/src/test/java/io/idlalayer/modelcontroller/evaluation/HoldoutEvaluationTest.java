package io.idlalayer.modelcontroller.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelloader.serve.TaskModel;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class HoldoutEvaluationTest {
  @Test
  void holdout_severalBatches_addUp() {
    CountDownLatch opened = new CountDownLatch(0);
    HoldoutEvaluation evaluation =
        new HoldoutEvaluation(
            new FakeModel(3, opened, new AtomicInteger()), label(Task.REGRESSION));
    assertThat(evaluation.result().samples()).isZero();
    evaluation.add(List.of(Sample.of(new double[] {0}, 3), Sample.of(new double[] {0}, 5)));
    evaluation.add(List.of(Sample.of(new double[] {0}, 7)));
    assertThat(evaluation.result().samples()).isEqualTo(3);
    HoldoutEvaluation.Regression found = evaluation.result().regression();
    assertThat(found.meanAbsoluteError()).isEqualTo(2);
    assertThat(found.noChangeMeanAbsoluteError()).as("of 5 after 3, of 7 after 5").isEqualTo(2);
    assertThat(found.metrics().mase()).as("errors of 2 and 4 against 2 and 2").isEqualTo(1.5);
    assertThat(evaluation.result().classification()).isNull();
    assertThat(evaluation.result().meanLoss()).isEqualTo(2);
  }

  @Test
  void holdout_weights_countAsRepetitions() {
    HoldoutEvaluation evaluation =
        new HoldoutEvaluation(
            new FakeModel(3, new CountDownLatch(0), new AtomicInteger()), label(Task.REGRESSION));
    evaluation.add(
        List.of(
            Sample.of(new double[] {0}, 3),
            Sample.of(new double[] {0}, 5).withWeight(3),
            Sample.of(new double[] {0}, 100).withWeight(0)));
    assertThat(evaluation.result().samples()).isEqualTo(3);
    assertThat(evaluation.result().regression().meanAbsoluteError()).isEqualTo(1.5);
  }

  /** Predicts the first number of a sample as the probability of the second class. */
  private static TaskModel sure() {
    return new TaskModel() {
      @Override
      public double[][] predict(List<Sample> samples) {
        return samples.stream()
            .map(each -> new double[] {1 - each.dense()[0], each.dense()[0]})
            .toArray(double[][]::new);
      }

      @Override
      public float[] losses(List<Sample> samples, double[][] predictions) {
        float[] losses = new float[samples.size()];
        for (int i = 0; i < losses.length; i++) {
          losses[i] = (float) -Math.log(predictions[i][(int) samples.get(i).label()]);
        }
        return losses;
      }

      @Override
      public void close() {}
    };
  }

  @Test
  void holdout_twoClasses_haveAllMetricsBesideTheReferences() {
    HoldoutEvaluation evaluation = new HoldoutEvaluation(sure(), label(Task.CLASSIFICATION));
    evaluation.add(
        List.of(
            Sample.of(new double[] {0.25}, 0),
            Sample.of(new double[] {0.75}, 1),
            Sample.of(new double[] {0.5}, 1),
            Sample.of(new double[] {Double.NaN}, 0)));
    HoldoutEvaluation.Classification found = evaluation.result().classification();
    assertThat(found.accuracy()).isEqualTo(0.5);
    assertThat(found.noChangeAccuracy()).isEqualTo(0.25);
    // Scores of the first class: 0.25, and 1 for what is no number; of the second: 0.75 and 0.5.
    assertThat(found.metrics().auc()).isEqualTo(0.5);
    assertThat(found.metrics().kappaTemporal()).isCloseTo(1 / 3.0, within(1e-12));
    assertThat(found.calibration()).hasSize(4);
    assertThat(evaluation.result().meanLoss()).isCloseTo(found.logLoss(), within(1e-12));
  }

  private static Label label(Task task) {
    return new Label("y", task, task == Task.REGRESSION ? List.of() : List.of("no", "yes"));
  }
}
