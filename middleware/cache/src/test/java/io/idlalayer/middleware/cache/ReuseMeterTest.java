package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.policy.ReuseDistances;
import org.junit.jupiter.api.Test;

class ReuseMeterTest {
  private static final ReuseDistances.Shape SHAPE = new ReuseDistances.Shape(64, 16, 100, 1);
  private static final int LENGTH = 24;
  private static final int OCCUPIED = 32;

  @Test
  void weightedHit_isSoManyReferences_atOneDistance() {
    ReuseMeter meter = new ReuseMeter();
    meter.start(SHAPE);
    meter.put(1, 0, LENGTH, false);
    meter.put(2, 0, LENGTH, false);
    meter.hit(1, 0, LENGTH, 8);
    double[] distances = new double[SHAPE.buckets()];

    assertThat(meter.addTo(0, distances)).isEqualTo(10);
    // Two blocks are between a reference to the first and the next: itself and the other.
    assertThat(distances[2 * OCCUPIED / 16 - 1]).isEqualTo(8);
  }

  @Test
  void notStarted_nothingIsCounted() {
    ReuseMeter meter = new ReuseMeter();
    meter.hit(1, 0, LENGTH, 16);
    meter.put(1, 0, LENGTH, false);

    assertThat(meter.started()).isFalse();
    assertThat(meter.addTo(0, new double[1])).isZero();
    assertThat(meter.metadataBytes()).isZero();
  }
}
