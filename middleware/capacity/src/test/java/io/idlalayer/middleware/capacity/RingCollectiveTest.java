package io.idlalayer.middleware.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.capacity.RingCollective.Operation;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RingCollectiveTest {
  private static RingCollective rings(List<Integer> nodes, long chunkBytes, double latency) {
    return new RingCollective(nodes, 150e9, chunkBytes, 25e9, latency);
  }

  /** 2 * 7/8 * 8 MB / 150 GB/s, and 2 * 15/16. */
  @Test
  void seconds_allReduceWithoutHops_isTheBandwidthTerm() {
    assertThat(rings(List.of(8, 8, 8), 0, 0).seconds(Operation.ALL_REDUCE, 8_000_000))
        .isCloseTo(93.333e-6, within(1e-9));
    assertThat(rings(List.of(16, 16, 16), 0, 0).seconds(Operation.ALL_REDUCE, 8_000_000))
        .isCloseTo(100e-6, within(1e-12));
    assertThat(rings(List.of(8), 0, 0).seconds(Operation.ALL_GATHER, 8_000_000))
        .isCloseTo(46.667e-6, within(1e-9));
    assertThat(rings(List.of(8), 0, 0).seconds(Operation.BROADCAST, 7_500_000))
        .isCloseTo(50e-6, within(1e-12));
  }

  /** A chunk of 25,000 bytes takes a microsecond, and so does the latency: a hop takes two. */
  @Test
  void hopSeconds_ofRingsOfDifferentLength_areThoseOfTheLongest() {
    RingCollective rings = rings(List.of(8, 24, 24), 25_000, 1e-6);
    assertThat(rings.hopSeconds(Operation.ALL_REDUCE)).isCloseTo(92e-6, within(1e-12));
    assertThat(rings.hopSeconds(Operation.ALL_GATHER)).isCloseTo(46e-6, within(1e-12));
    assertThat(rings.hopSeconds(Operation.BROADCAST)).isCloseTo(68e-6, within(1e-12));
  }

  @Test
  void seconds_ofOneNode_areNone() {
    RingCollective alone = rings(List.of(1), 4096, 1e-6);
    for (Operation operation : Operation.values()) {
      assertThat(alone.seconds(operation, 1 << 20)).isZero();
    }
  }

  @Test
  void ringCollective_whatCannotBe_isRefused() {
    assertThatThrownBy(() -> rings(List.of(), 0, 0)).hasMessageContaining("at least one ring");
    assertThatThrownBy(() -> rings(List.of(0), 0, 0)).hasMessageContaining("one node");
    assertThatThrownBy(() -> rings(List.of(2), -1, 0)).hasMessageContaining("-1 bytes");
    assertThatThrownBy(() -> new RingCollective(List.of(2), Double.NaN, 0, 1, 0))
        .hasMessageContaining("NaN");
  }
}
