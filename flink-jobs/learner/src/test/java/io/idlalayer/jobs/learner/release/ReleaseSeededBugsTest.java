package io.idlalayer.jobs.learner.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.ReleaseHistories;
import org.junit.jupiter.api.Test;

/**
 * The histories of {@link ReleaseHistoryPropertyTest} find bugs of the kind that releases have had:
 * each is put into a learner of its own, and must be found within far fewer histories than that
 * test plays.
 */
final class ReleaseSeededBugsTest {
  private static final int MOST_HISTORIES = 60;

  @Test
  void find_versionsThatWereLeftAreNotLookedFor_areFoundToBePublishedAgain() throws Exception {
    assertThat(new SeededBug(InService.class, "find", "leftBefore").found(MOST_HISTORIES))
        .contains("a model that was published and left is published again");
  }

  @Test
  void lookAtHeld_theWaitDoesNotEnd_isFound() throws Exception {
    assertThat(new SeededBug(ReleaseGate.class, "lookAtHeld", "waitedEnough").found(MOST_HISTORIES))
        .contains("a model has waited for");
  }

  @Test
  void giveUpNewest_itsStateIsNotSaved_theModelIsFoundToBePublishedAgain() throws Exception {
    assertThat(new SeededBug(Release.class, "giveUpNewest", "save").found(MOST_HISTORIES))
        .contains("is published as version", "though it was refused");
  }

  @Test
  void play_withoutABug_findsNothing() throws Exception {
    for (long seed = 1; seed <= 20; seed++) {
      assertThat(ReleaseHistories.play(seed)).isNotEmpty();
    }
  }
}
