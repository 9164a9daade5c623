package io.idlalayer.benchmarks.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class SlopeTest {
  private static final int POINTS = 240;

  /** A level of 100 with noise of 2 and a growth an hour, over two hours. */
  private static Slope slope(double perHour) {
    SplittableRandom random = new SplittableRandom(3);
    double[] hours = new double[POINTS];
    double[] values = new double[POINTS];
    for (int i = 0; i < POINTS; i++) {
      hours[i] = i / 120.0;
      values[i] = 100 + perHour * hours[i] + 2 * (random.nextDouble() - 0.5);
    }
    values[50] = 900;
    return ProcessState.slope(hours, values);
  }

  @Test
  void aboveNoise_levelWithNoiseAndOutlier_doesNotGrow() {
    Slope flat = slope(0);
    assertThat(flat.aboveNoise()).isFalse();
    assertThat(flat.lowPerHour()).isNegative();
    assertThat(flat.highPerHour()).isPositive();
  }

  @Test
  void aboveNoise_leak_isFoundWithItsSlope() {
    Slope leak = slope(3);
    assertThat(leak.aboveNoise()).isTrue();
    assertThat(leak.perHour()).isCloseTo(3, within(0.2));
    assertThat(leak.lowPerHour()).isLessThan(3.2);
    assertThat(leak.highPerHour()).isGreaterThan(2.8);
  }

  @Test
  void heap_ofSerialCollector_isSummedWithoutMetaspace() {
    String info =
        """
        77:
         def new generation   total 78656K, used 1024K [0x0, 0x1, 0x2)
          eden space 69952K,   6% used [0x0, 0x1, 0x2)
         tenured generation   total 174784K, used 2048K [0x0, 0x1, 0x2)
           the space 174784K,   0% used [0x0, 0x1, 0x2, 0x3)
         Metaspace       used 9000K, committed 9100K, reserved 1056768K
        """;
    assertThat(ProcessState.heapMiB(info)).isEqualTo(3);
  }
}
