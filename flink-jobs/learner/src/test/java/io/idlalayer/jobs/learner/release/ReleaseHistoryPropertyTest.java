package io.idlalayer.jobs.learner.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.learner.ReleaseHistories;
import io.idlalayer.middleware.primitive.BitMixer;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/**
 * Random histories of a learner with a release gate, each decided by its seed: models are good or
 * bad, people roll back, pin and unpin, the store fails, and the process dies, while updates train
 * and versions are published. How releases are interleaved with the tables of updates and
 * publications is told in {@link ReleaseHistories}; which bugs are found so, in {@link
 * ReleaseSeededBugsTest}. {@code -Didlalayer.histories=N} runs N times as many histories.
 */
final class ReleaseHistoryPropertyTest {
  private static final int MORE = Integer.getInteger("idlalayer.histories", 1);

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void history_withAReleaseGate_keepsWhatIsPromised(@ForAll long seed) throws InterruptedException {
    for (int i = 0; i < MORE; i++) {
      ReleaseHistories.play(seed + BitMixer.GOLDEN_RATIO * i);
    }
  }

  @Test
  void history_ofTheSameSeed_isTheSame() throws InterruptedException {
    List<DecisionEvent> said = ReleaseHistories.play(7);
    assertThat(ReleaseHistories.play(7))
        .extracting(DecisionEventCodec::encode)
        .containsExactlyElementsOf(said.stream().map(DecisionEventCodec::encode).toList());
  }
}
