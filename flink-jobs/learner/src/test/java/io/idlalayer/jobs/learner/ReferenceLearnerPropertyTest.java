package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The learner does what the documents say: {@link ReferenceHistory}. */
final class ReferenceLearnerPropertyTest {
  private static final int SEEDS = 40;
  private static final int STEPS = 120;

  @Property(tries = 60)
  void history_anyEventsUpdatesAndRestarts_isWhatTheDocumentsSay(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 200) int steps) throws Exception {
    try (ReferenceHistory history = new ReferenceHistory(seed, ReferenceBug.NONE)) {
      history.live(steps);
    }
  }

  @ParameterizedTest
  @EnumSource
  void history_withASeededBug_isFound(ReferenceBug bug) {
    assertThat(LongStream.range(0, SEEDS).anyMatch(seed -> differs(seed, bug)))
        .isEqualTo(bug != ReferenceBug.NONE);
  }

  private static boolean differs(long seed, ReferenceBug bug) {
    try (ReferenceHistory history = new ReferenceHistory(seed, bug)) {
      history.live(STEPS);
      return false;
    } catch (AssertionError found) {
      return true;
    } catch (Exception failed) {
      throw new IllegalStateException("seed " + seed, failed);
    }
  }
}
