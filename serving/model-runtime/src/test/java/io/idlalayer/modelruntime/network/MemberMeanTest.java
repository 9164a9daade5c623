package io.idlalayer.modelruntime.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class MemberMeanTest {
  private static float[] mean(MemberMean step, float... outputs) {
    int rows = outputs.length / step.members() / step.outputs();
    float[] out = new float[rows * step.width()];
    step.run(new float[][] {outputs}, rows, out);
    return out;
  }

  @Test
  void targets_areAveragedRowByRow() {
    assertThat(mean(new MemberMean(1, 4, 4, false), 1, 2, 3, 6, -1, -1, -1, -5))
        .containsExactly(3, -2);
  }

  @Test
  void probabilities_areAveragedAndDividedByTheirSum() {
    // Means 0.4 and 0.8.
    assertThat(mean(new MemberMean(2, 2, 2, true), 0.2f, 0.7f, 0.6f, 0.9f))
        .containsExactly(new float[] {1 / 3f, 2 / 3f}, within(1e-6f));
  }

  @Test
  void probabilities_noMemberBelievesInAnyClass_areEqual() {
    assertThat(mean(new MemberMean(4, 2, 2, true), new float[8])).containsOnly(0.25f);
  }

  @Test
  void someTakeAContext_thereAreMeansOfTheOthersOfAllAndOfThese() {
    assertThat(mean(new MemberMean(1, 3, 2, false), 1, 3, 8, 0, 0, 3))
        .containsExactly(2, 4, 8, 0, 1, 3);
    assertThat(mean(new MemberMean(2, 2, 1, true), 0.2f, 0.6f, 0.6f, 0.2f))
        .containsExactly(new float[] {0.25f, 0.75f, 0.5f, 0.5f, 0.75f, 0.25f}, within(1e-6f));
  }

  @Test
  void outputsThatAreNotNumbers_stayVisible() {
    assertThat(mean(new MemberMean(2, 2, 2, true), Float.NaN, 1, 0, 1))
        .containsExactly(Float.NaN, Float.NaN);
    assertThat(mean(new MemberMean(1, 2, 2, false), Float.NaN, 1)).containsExactly(Float.NaN);
  }

  @Test
  void probabilities_ofManyRows_sumToOne() {
    SplittableRandom random = new SplittableRandom(1);
    float[] outputs = new float[100 * 3 * 5];
    for (int i = 0; i < outputs.length; i++) {
      outputs[i] = (float) Math.pow(10, -12 * random.nextDouble());
    }
    float[] found = mean(new MemberMean(5, 3, 3, true), outputs);
    for (int row = 0; row < 100; row++) {
      float sum = 0;
      for (int k = 0; k < 5; k++) {
        sum += found[row * 5 + k];
      }
      assertThat(sum).isCloseTo(1, within(1e-6f));
    }
  }
}
