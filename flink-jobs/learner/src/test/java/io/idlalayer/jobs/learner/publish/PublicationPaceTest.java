package io.idlalayer.jobs.learner.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class PublicationPaceTest {
  private static final double WEIGHT = 1_000;

  /** A second of processor time is worth 1,000 sample-seconds, so this is worth 2. */
  private static final double PUBLICATION_SECONDS = 0.002;

  private final PublicationPace auto = new PublicationPace(null, WEIGHT, () -> PUBLICATION_SECONDS);

  @Test
  void dueMillis_aTimeIsGiven_isThatTimeAfterThePublication() {
    PublicationPace pace = new PublicationPace(3.0, WEIGHT, () -> PUBLICATION_SECONDS);
    pace.accepted(1_000_000, 500);
    assertThat(pace.dueMillis()).as("before the first publication").isLessThan(500);

    pace.published(600);
    pace.accepted(1_000_000, 700);

    assertThat(pace.dueMillis()).isEqualTo(3_600);
  }

  @Test
  void dueMillis_autoAfterAPause_isOverAtOnce() {
    auto.accepted(32, 500);
    assertThat(auto.dueMillis()).as("before the first publication").isLessThanOrEqualTo(500);
    auto.published(600);

    auto.accepted(32, 600 + PublicationPace.MOST_MILLIS);

    assertThat(auto.dueMillis()).isLessThanOrEqualTo(600 + PublicationPace.MOST_MILLIS);
  }

  @Test
  void dueMillis_autoFewSamples_isTheMostMillisAfterThePublication() {
    auto.published(600);

    auto.accepted(1, 610);

    assertThat(auto.dueMillis()).isEqualTo(600 + PublicationPace.MOST_MILLIS);
  }

  @Test
  void dueMillis_autoManySamples_isWhenTheirWaitHasCostAsMuchAsAPublication() {
    auto.published(600);

    auto.accepted(50, 610);
    assertThat(auto.dueMillis()).as("50 samples wait 40 ms for 2 sample-seconds").isEqualTo(650);
    auto.accepted(50, 630);

    assertThat(auto.dueMillis()).as("the first have waited 20 ms, then all 10").isEqualTo(640);
    auto.published(645);
    auto.accepted(40, 650);
    assertThat(auto.dueMillis()).as("what is published waits no more").isEqualTo(700);
  }

  @Test
  void dueMillis_autoWithoutAMeasuredCost_isOverAtOnce() {
    PublicationPace unmeasured = new PublicationPace(null, WEIGHT, () -> 0);
    unmeasured.published(600);

    unmeasured.accepted(1, 601);

    assertThat(unmeasured.dueMillis()).isLessThanOrEqualTo(601);
  }

  @Test
  void dueMillis_autoAndAPause_isTheLaterOne() {
    auto.published(600);
    auto.accepted(1, 610);
    auto.pause(5_000);

    assertThat(auto.dueMillis()).isEqualTo(5_000);
  }

  @Test
  void nothingWaits_samplesOfADroppedModel_costNoMore() {
    auto.published(600);
    auto.accepted(50, 610);
    auto.nothingWaits();

    auto.accepted(40, 650);

    assertThat(auto.dueMillis()).isEqualTo(700);
  }

  @Test
  void accepted_clockIsSetBack_waitsNoLongerForThat() {
    auto.published(600);
    auto.accepted(50, 620);

    auto.accepted(50, 120);

    assertThat(auto.dueMillis()).isEqualTo(140);
  }

  /** However updates follow each other, no wait costs more than the publication that it saves. */
  @Property(tries = 200)
  void dueMillis_autoAnyUpdates_waitIsBoundedByItsPriceAndByTime(
      @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 1, max = 200) Integer> gaps,
      @ForAll @IntRange(min = 1, max = 5_000) int samples,
      @ForAll @IntRange(min = 100, max = 50_000) int micros) {
    double seconds = micros / 1e6;
    PublicationPace pace = new PublicationPace(null, WEIGHT, () -> seconds);
    long now = 0;
    long publishedAt = 0;
    pace.published(now);
    double charge = 0;
    int waiting = 0;
    for (int gap : gaps) {
      long due = pace.dueMillis();
      if (waiting > 0 && due <= now + gap) {
        assertThat(due - publishedAt).isLessThanOrEqualTo(PublicationPace.MOST_MILLIS);
        long at = Math.max(due, now);
        double before = charge + waiting * (double) Math.max(0, at - 1 - now) / 1_000;
        assertThat(before).isLessThanOrEqualTo(WEIGHT * seconds + 1e-9);
        pace.published(at);
        publishedAt = at;
        waiting = 0;
        charge = 0;
      }
      charge += waiting * (double) gap / 1_000;
      now += gap;
      if (waiting == 0 && pace.dueMillis() <= now) {
        pace.accepted(samples, now);
        assertThat(pace.dueMillis()).isLessThanOrEqualTo(now);
        pace.published(now);
        publishedAt = now;
      } else {
        pace.accepted(samples, now);
        waiting += samples;
      }
    }
  }
}
