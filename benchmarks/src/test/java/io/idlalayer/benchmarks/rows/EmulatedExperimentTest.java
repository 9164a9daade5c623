package io.idlalayer.benchmarks.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.benchmarks.rows.EmulatedExperiment.Outcome;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The experiment on a clock that only the slow device moves. */
final class EmulatedExperimentTest {
  /** Rows of 256 bytes are read in 356 ns and written in 512 ns. */
  private static final DeviceSpeed SLOW = new DeviceSpeed(1e9, 0.5e9, 100, 0, 256, 1);

  /** 256 ns for both. */
  private static final DeviceSpeed DRAM = new DeviceSpeed(1e9, 1e9, 0, 0, 256, 1);

  private static final double READ_NANOS = 100;
  private static final double WRITE_NANOS = 256;

  /** Of a row whose four lines miss: a latency, and their bytes at 23/30 of the reads, rounded. */
  private static final double MISS_NANOS = 100 + 334;

  /** Of four changed lines that leave, at 8/11 of the writes. */
  private static final double LEAVE_NANOS = 704;

  /** Of a row from DRAM. */
  private static final double CHECK_NANOS = 256;

  private static final double ROW_BYTES = 256;

  private static List<Outcome> outcomes(double exponent, boolean training) {
    VirtualClock clock = new VirtualClock();
    return new EmulatedExperiment(
            new EmulatedExperiment.Size(2_000, 64, 4, 10, 3), SLOW, DRAM, clock, clock::nanos)
        .measure(exponent, training);
  }

  @Test
  void measure_anyTable_countsTheBatchesOfItsTurnsOnly() {
    for (boolean training : new boolean[] {false, true}) {
      for (Outcome each : outcomes(0, training)) {
        // 50 batches of 40.
        assertThat(each.lookups())
            .as(each.policy() + each.percent())
            .containsExactly(2_000L, 2_000L, 2_000L);
      }
    }
  }

  @Test
  void measure_hardwareCache_takesReadsOfMissesAndWritesOfChangedRows() {
    for (boolean training : new boolean[] {false, true}) {
      List<Outcome> outcomes = outcomes(0, training);
      for (Outcome each : outcomes) {
        if (each.policy().startsWith(EmulatedExperiment.HARDWARE)) {
          boolean free = each.policy().equals(EmulatedExperiment.FREE_CHECKS);
          double miss = free ? MISS_NANOS - CHECK_NANOS : MISS_NANOS;
          double due = (each.readBytes() * miss + each.writtenBytes() * LEAVE_NANOS) / ROW_BYTES;
          // Turns have equally many lookups, so their mean is that of all lookups.
          assertThat(Arrays.stream(each.nanos()).average().orElseThrow())
              .as(each.policy() + each.percent())
              .isCloseTo(due, within(1e-6));
        }
      }
      Outcome small = EmulatedExperiment.of(outcomes, EmulatedExperiment.HARDWARE, 10);
      assertThat(small.readBytes()).isGreaterThan(0.8 * ROW_BYTES);
      if (training) {
        assertThat(small.writtenBytes()).isPositive();
      } else {
        assertThat(small.writtenBytes()).isZero();
      }
    }
  }

  @Test
  void measure_lookups_takeTheReadsOfWhatMisses() {
    for (Outcome each : outcomes(0, false)) {
      if (!each.policy().startsWith(EmulatedExperiment.HARDWARE) && each.readBytes() > 0) {
        assertThat(each.readBytes()).isCloseTo((1 - each.hitRate()) * 256, within(1e-6));
        assertThat(each.median())
            .as(each.policy() + each.percent())
            .isCloseTo((1 - each.hitRate()) * READ_NANOS, within(2.0));
      }
    }
  }

  @Test
  void measure_uniformLookups_areLinearInTheHitRate() {
    List<Outcome> outcomes = outcomes(0, false);
    var line =
        EmulatedExperiment.line(
            EmulatedExperiment.RANDOM, outcomes, Outcome::hitRate, Outcome::median);
    assertThat(line.getRSquare()).isGreaterThan(0.99);
    assertThat(line.getSlope()).isCloseTo(-READ_NANOS, within(3.0));
    assertThat(EmulatedExperiment.of(outcomes, EmulatedExperiment.RANDOM, 50).hitRate())
        .isCloseTo(0.5, within(0.03));
    assertThat(EmulatedExperiment.of(outcomes, EmulatedExperiment.HARDWARE, 50).hitRate())
        .isCloseTo(0.5, within(0.08));
  }

  @Test
  void measure_updates_takeReadsAndWrites() {
    List<Outcome> outcomes = outcomes(0, true);
    Outcome simple = EmulatedExperiment.of(outcomes, EmulatedExperiment.SIMPLE, 0);
    assertThat(simple.updateHitRate()).isZero();
    assertThat(simple.lookupNanos()).isCloseTo(READ_NANOS, within(0.01));
    // A batch of 40 seldom has a row twice.
    assertThat(simple.updateNanos()).isCloseTo(READ_NANOS + WRITE_NANOS, within(20.0));
    assertThat(simple.writtenBytes()).isCloseTo(256, within(5.0));
    Outcome dynamic = EmulatedExperiment.of(outcomes, EmulatedExperiment.DYNAMIC, 50);
    assertThat(dynamic.updateHitRate()).isGreaterThan(0.8);
    assertThat(dynamic.flushNanos()).isPositive();
    assertThat(dynamic.median()).isLessThan(simple.median() / 2);
    Outcome whole = EmulatedExperiment.of(outcomes, EmulatedExperiment.RANDOM, 100);
    assertThat(whole.readBytes()).isLessThan(10);
  }
}
