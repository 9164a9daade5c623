package io.idlalayer.modelcontroller.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class HoldoutEvaluationTest {
  @Test
  void holdout_severalBatches_addUp() {
    CountDownLatch opened = new CountDownLatch(0);
    HoldoutEvaluation evaluation =
        new HoldoutEvaluation(new FakeModel(3, opened, new AtomicInteger()), Task.REGRESSION);
    assertThat(evaluation.result().samples()).isZero();
    evaluation.add(List.of(Sample.of(new double[] {0}, 3), Sample.of(new double[] {0}, 5)));
    evaluation.add(List.of(Sample.of(new double[] {0}, 7)));
    assertThat(evaluation.result().samples()).isEqualTo(3);
    assertThat(evaluation.result().meanAbsoluteError()).isEqualTo(2);
    assertThat(evaluation.result().meanLoss()).isEqualTo(2);
  }

  @Test
  void holdout_weights_countAsRepetitions() {
    HoldoutEvaluation evaluation =
        new HoldoutEvaluation(
            new FakeModel(3, new CountDownLatch(0), new AtomicInteger()), Task.REGRESSION);
    evaluation.add(
        List.of(
            Sample.of(new double[] {0}, 3),
            Sample.of(new double[] {0}, 5).withWeight(3),
            Sample.of(new double[] {0}, 100).withWeight(0)));
    assertThat(evaluation.result().samples()).isEqualTo(3);
    assertThat(evaluation.result().meanAbsoluteError()).isEqualTo(1.5);
  }
}
