package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The adaptive policy's metadata stays in proportion to what is resident. */
class AdaptivePolicyMetadataTest {
  /** Residents whose slot is their hash. */
  private static final class FakeResidents implements Residents {
    @Override
    public long hash(int slot) {
      return slot;
    }

    @Override
    public int slot(long hash) {
      return (int) hash;
    }
  }

  @Test
  void hitsAlone_ofMoreBlocksThanExpected_doNotGrowTheMetadata() {
    AdaptivePolicy policy =
        new AdaptivePolicy(new FakeResidents(), PolicyTournament.Budget.DEFAULT);
    policy.ensure(128);
    policy.capacity(100);
    for (int slot = 0; slot < 106; slot++) {
      policy.missed(slot, Reuse.UNKNOWN);
      policy.inserted(slot, Reuse.UNKNOWN);
    }
    long early = policy.metadataBytes();
    for (int step = 0; step < 300_000; step++) {
      policy.hit(step % 106);
    }

    assertThat(policy.metadataBytes()).isLessThan(early + 64 * 1024);
  }

  @Test
  void sketch_thatExpectsFewerEntries_shrinks() {
    FrequencySketch sketch = new FrequencySketch();
    sketch.ensure(1 << 20);
    sketch.ensure(100);

    assertThat(sketch.bytes()).isLessThan(1 << 14);
  }
}
