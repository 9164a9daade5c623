package io.idlalayer.middleware.fuzzy.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.LUDecomposition;
import org.junit.jupiter.api.Test;

class TakagiSugenoModelTest {
  private static TakagiSugenoModel fit(double[][] x, ToDoubleFunction<double[]> truth) {
    double[] y = new double[x.length];
    for (int i = 0; i < y.length; i++) {
      y[i] = truth.applyAsDouble(x[i]);
    }
    return TakagiSugenoModel.fit(x, y, TakagiSugenoModel.Settings.defaults(x[0].length))
        .orElseThrow();
  }

  private static double[][] random(int rows, int width, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] x = new double[rows][width];
    for (double[] row : x) {
      for (int j = 0; j < width; j++) {
        row[j] = random.nextDouble(-3, 5);
      }
    }
    return x;
  }

  private static double plane(double[] x) {
    return 2 - 3 * x[0] + 0.5 * x[1];
  }

  private static double bend(double[] x) {
    return x[0] < 0 ? 1 + 2 * x[0] : 1 - x[0];
  }

  @Test
  void plane_isFoundExactly_byOneRuleAndByMany() {
    TakagiSugenoModel few = fit(random(6, 2, 1), TakagiSugenoModelTest::plane);
    TakagiSugenoModel many = fit(random(200, 2, 2), TakagiSugenoModelTest::plane);

    assertThat(few.rules()).isEqualTo(1);
    assertThat(many.rules()).isBetween(2, 8);
    double[] at = {1, 2};
    assertThat(few.predict(at)).isCloseTo(plane(at), within(1e-3));
    assertThat(many.predict(at)).isCloseTo(plane(at), within(1e-3));
  }

  @Test
  void bend_isFollowedBetterThanByALine() {
    double[][] x = random(300, 1, 3);
    TakagiSugenoModel model = fit(x, TakagiSugenoModelTest::bend);
    double fuzzy = 0;
    double linear = 0;
    double[][] ends = {{-3}, {5}};
    TakagiSugenoModel line = fit(ends, TakagiSugenoModelTest::bend);
    for (double at = -3; at <= 5; at += 0.1) {
      double[] point = {at};
      fuzzy += Math.abs(model.predict(point) - bend(point));
      linear += Math.abs(line.predict(point) - bend(point));
    }
    assertThat(fuzzy).isLessThan(linear / 10);
  }

  @Test
  void weightedMeanOfLinearRules_isTheExampleOfTheSpec() {
    double low = 0.5 * 0.8 + 0.1 * 2 + 0.2 * 0.6 + 0 * 1 + 0.05;
    double high = 0.6 * 0.8 + 0.05 * 2 + 0.5 * 0.6 + 0.1 * 1 + 0.1;
    assertThat(low).isCloseTo(0.77, within(1e-12));
    assertThat(high).isCloseTo(1.08, within(1e-12));
    // A model of one linear rule is that rule; its output at the example's inputs is the rule's.
    double[][] x = random(12, 4, 4);
    TakagiSugenoModel rule =
        fit(x, in -> 0.6 * in[0] + 0.05 * in[1] + 0.5 * in[2] + 0.1 * in[3] + 0.1);
    assertThat(rule.rules()).isEqualTo(1);
    assertThat(rule.predict(new double[] {0.8, 2, 0.6, 1})).isCloseTo(high, within(1e-4));
    assertThat(0.4 * low + 0.6 * high).isCloseTo(0.956, within(1e-12));
  }

  @Test
  void strengths_sumToOne_andFarAwayTheNearestRuleAnswers() {
    TakagiSugenoModel model = fit(random(200, 3, 5), x -> x[0] * x[1] - x[2]);
    double[] strengths = new double[model.rules()];
    for (double[] at : new double[][] {{0, 0, 0}, {1e9, -1e9, 1e9}, {5, 5, -3}}) {
      model.strengths(at, strengths);
      double sum = 0;
      for (double strength : strengths) {
        assertThat(strength).isBetween(0.0, 1.0);
        sum += strength;
      }
      assertThat(sum).isCloseTo(1, within(1e-12));
      assertThat(model.predict(at)).isFinite();
    }
    assertThat(model.predict(new double[] {1e9, 0, 0}))
        .isEqualTo(model.predict(new double[] {1e12, 0, 0}));
  }

  @Test
  void constantInputs_doNotBreakIt() {
    double[][] x = {{1, 7}, {2, 7}, {3, 7}, {4, 7}};
    TakagiSugenoModel model = fit(x, row -> 10 * row[0]);
    assertThat(model.predict(new double[] {2.5, 7})).isCloseTo(25, within(0.01));
    assertThat(model.predict(new double[] {2.5, 99})).isCloseTo(25, within(0.01));

    double[][] same = {{1, 1}, {1, 1}, {1, 1}};
    assertThat(fit(same, row -> 5).predict(new double[] {1, 1})).isCloseTo(5, within(1e-3));
  }

  @Test
  void updates_followADriftingPlane() {
    TakagiSugenoModel model = fit(random(200, 2, 6), TakagiSugenoModelTest::plane);
    for (double[] row : random(2000, 2, 7)) {
      model.update(row, -plane(row));
    }
    double[] at = {1, 2};
    assertThat(model.predict(at)).isCloseTo(-plane(at), within(0.01));
  }

  @Test
  void updates_areWeightedLeastSquaresWithForgetting() {
    // One rule, so that the regressors are the standardised inputs themselves.
    double[][] first = random(8, 2, 8);
    double[][] later = random(40, 2, 9);
    SplittableRandom noise = new SplittableRandom(10);
    double[] y = new double[48];
    for (int i = 0; i < y.length; i++) {
      y[i] = plane(i < 8 ? first[i] : later[i - 8]) + noise.nextDouble();
    }
    TakagiSugenoModel model =
        TakagiSugenoModel.fit(
                first, java.util.Arrays.copyOf(y, 8), new TakagiSugenoModel.Settings(8, 9, 0.9))
            .orElseThrow();
    for (int i = 0; i < later.length; i++) {
      model.update(later[i], y[8 + i]);
    }

    InputScale scale = InputScale.of(first);
    Array2DRowRealMatrix normal = new Array2DRowRealMatrix(3, 3);
    double[] right = new double[3];
    double trace = 0;
    for (int i = 0; i < 48; i++) {
      double[] in = i < 8 ? first[i] : later[i - 8];
      double weight = Math.pow(0.9, i < 8 ? 40 : 47 - i);
      double[] row = {
        scale.standardized(0, scale.clamped(0, in[0])),
        scale.standardized(1, scale.clamped(1, in[1])),
        1
      };
      for (int a = 0; a < 3; a++) {
        right[a] += weight * row[a] * y[i];
        for (int b = 0; b < 3; b++) {
          normal.addToEntry(a, b, weight * row[a] * row[b]);
        }
        trace += i < 8 ? row[a] * row[a] : 0;
      }
    }
    for (int a = 0; a < 3; a++) {
      normal.addToEntry(a, a, Math.pow(0.9, 40) * 1e-6 * trace / 3);
    }
    double[] exact =
        new LUDecomposition(normal).getSolver().solve(new ArrayRealVector(right)).toArray();
    double[] at = {0.5, 1};
    double expected =
        exact[0] * scale.standardized(0, scale.clamped(0, 0.5))
            + exact[1] * scale.standardized(1, scale.clamped(1, 1))
            + exact[2];
    assertThat(model.predict(at)).isCloseTo(expected, within(1e-6));
  }

  @Test
  void silence_doesNotLetTheCovarianceExplode() {
    TakagiSugenoModel model = fit(random(200, 2, 11), TakagiSugenoModelTest::plane);
    double[] same = {1, 1};
    for (int i = 0; i < 100_000; i++) {
      model.update(same, plane(same));
    }
    double[] at = {-2, 4};
    assertThat(model.predict(at)).isCloseTo(plane(at), within(0.5));
    model.update(at, plane(at));
    assertThat(model.predict(at)).isFinite();
  }

  @Test
  void wrongInput_isRefusedByName() {
    double[][] x = {{1, 2}, {3, Double.NaN}};
    TakagiSugenoModel.Settings settings = TakagiSugenoModel.Settings.defaults(2);
    assertThatThrownBy(() -> TakagiSugenoModel.fit(x, new double[] {1, 2}, settings))
        .hasMessage("row 1: input 1 is NaN");
    x[1][1] = 1;
    assertThatThrownBy(() -> TakagiSugenoModel.fit(x, new double[] {1, 1 / 0.0}, settings))
        .hasMessage("row 1: the output is Infinity");
    assertThatThrownBy(() -> TakagiSugenoModel.fit(x, new double[] {1}, settings))
        .hasMessageContaining("2 rows of inputs but 1 outputs");
    TakagiSugenoModel model = TakagiSugenoModel.fit(x, new double[] {1, 2}, settings).orElseThrow();
    assertThatThrownBy(() -> model.predict(new double[] {1}))
        .hasMessage("the prediction has 1 inputs where 2 are expected");
    assertThat(TakagiSugenoModel.fit(new double[][] {{1, 2}}, new double[] {1}, settings))
        .isEmpty();
  }

  @Test
  void encoded_answersTheSameBits() {
    TakagiSugenoModel model = fit(random(100, 3, 12), x -> x[0] * x[1] - x[2]);
    TakagiSugenoModel copy = TakagiSugenoModel.decode(model.encode());
    for (double[] row : random(50, 3, 13)) {
      model.update(row, row[2]);
      copy.update(row, row[2]);
      assertThat(copy.predict(row)).isEqualTo(model.predict(row));
    }
    byte[] later = model.encode();
    later[0] = 9;
    assertThatThrownBy(() -> TakagiSugenoModel.decode(later)).hasMessageContaining("version 9");
  }

  @Test
  void bytesOfVersion1_areReadForEver() {
    String version1 =
        "01"
            + "00000001"
            + "00000001"
            + "3fef5c28f5c28f5c"
            + "0000000000000000"
            + "4000000000000000"
            + "3ff0000000000000"
            + "3ff0000000000000"
            + "3fe0000000000000"
            + "4008000000000000"
            + "3ff0000000000000"
            + "3ff0000000000000"
            + "0000000000000000"
            + "0000000000000000"
            + "3ff0000000000000";
    TakagiSugenoModel model = TakagiSugenoModel.decode(java.util.HexFormat.of().parseHex(version1));
    assertThat(model.predict(new double[] {2})).isEqualTo(4);
  }

  @Test
  void predictingAndUpdating_allocateNothing() {
    TakagiSugenoModel model = fit(random(200, 3, 14), x -> x[0] + x[1] * x[2]);
    double[] at = {1, 2, 3};
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < 1000; i++) {
      model.update(at, model.predict(at));
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 10_000; i++) {
      model.update(at, model.predict(at));
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
  }
}
