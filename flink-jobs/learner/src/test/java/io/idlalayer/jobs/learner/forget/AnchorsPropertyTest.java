package io.idlalayer.jobs.learner.forget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class AnchorsPropertyTest {
  private static Anchor anchor(long update) {
    return new Anchor(update, null, 0, "");
  }

  /** The anchors are at most twice as far from each other as they would be if they were planned. */
  @Property(tries = 100)
  void newestBefore_anyUpdate_isNotMuchOlder(
      @ForAll @IntRange(min = 8, max = 20) int most,
      @ForAll @IntRange(min = 1, max = 3_000) int updates) {
    Anchors anchors = new Anchors(most);
    for (int update = 0; update < updates; update++) {
      anchors.add(anchor(update));
      assertThat(anchors.all()).hasSizeLessThanOrEqualTo(most);
    }
    assertThat(anchors.all().get(0).update()).isZero();
    for (int update = 1; update <= updates; update++) {
      Anchor found = anchors.newestBefore(update);
      assertThat(found).isNotNull();
      double since = updates - update + 1;
      double root = Math.sqrt(since / updates) + 2.0 / most;
      assertThat(updates - found.update())
          .as("updates trained again for update %d of %d", update, updates)
          .isLessThanOrEqualTo((long) Math.ceil(root * root * updates) + 1);
    }
  }

  @Test
  void removeBefore_theLogIsCut_leavesWhatHasAllUpdatesAfterIt() {
    Anchors anchors = new Anchors(8);
    for (int update = 0; update < 6; update++) {
      anchors.add(anchor(update));
    }
    anchors.removeBefore(3);
    assertThat(anchors.all()).extracting(Anchor::update).containsExactly(3L, 4L, 5L);
    assertThat(anchors.newestBefore(3)).isNull();
  }

  @Test
  void replaceAfter_others_takeTheirPlace() {
    Anchors anchors = new Anchors(8);
    for (int update = 0; update < 6; update++) {
      anchors.add(anchor(update));
    }
    anchors.replaceAfter(2, List.of(new Anchor(4, null, 9, "new")));
    assertThat(anchors.all())
        .extracting(Anchor::update, Anchor::version)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(0L, 0L),
            org.assertj.core.groups.Tuple.tuple(1L, 0L),
            org.assertj.core.groups.Tuple.tuple(2L, 0L),
            org.assertj.core.groups.Tuple.tuple(4L, 9L));
    assertThatThrownBy(() -> anchors.add(anchor(3)))
        .hasMessage("an anchor of update 3 comes after one of update 4");
  }
}
