package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The learner does what the documents say: {@link ReferenceHistory}. */
final class ReferenceLearnerPropertyTest {
  private static final int SEEDS = 40;
  private static final int STEPS = 120;

  @Property(tries = 100)
  void history_anyEventsUpdatesAndRestarts_isWhatTheDocumentsSay(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 200) int steps) throws Exception {
    try (ReferenceHistory history = new ReferenceHistory(seed, ReferenceHistory.Bug.NONE)) {
      history.live(steps);
    }
  }

  @Example
  void history_withASeededBug_isFound() {
    for (ReferenceHistory.Bug bug : ReferenceHistory.Bug.values()) {
      assertThat(LongStream.range(0, SEEDS).anyMatch(seed -> differs(seed, bug)))
          .as("%s is found", bug)
          .isEqualTo(bug != ReferenceHistory.Bug.NONE);
    }
  }

  private static boolean differs(long seed, ReferenceHistory.Bug bug) {
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
