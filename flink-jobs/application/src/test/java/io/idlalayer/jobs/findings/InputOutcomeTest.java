package io.idlalayer.jobs.findings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.Surveyed;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InputOutcomeTest {
  private static Surveyed found(long events, long refused, long labelled, long lost, long given) {
    return new Surveyed(
        events,
        refused,
        labelled,
        labelled,
        0,
        lost,
        given,
        List.of(),
        List.of(),
        List.of(),
        Surveyed.NameList.NONE,
        Surveyed.NOTHING.constant(),
        Surveyed.NameList.NONE);
  }

  private static void assertOutcome(Surveyed found, double allowed, int exitCode, String reason) {
    InputOutcome outcome = InputOutcome.of(found, true, allowed);
    assertThat(outcome.exitCode()).isEqualTo(exitCode);
    assertThat(outcome.reason(found, allowed)).isEqualTo(reason);
  }

  @Test
  void of_anInput_hasItsExitCodeAndReason() {
    assertOutcome(Surveyed.NOTHING, 1, 4, "nothing learned: no event came");
    assertOutcome(found(100, 0, 100, 0, 0), 0, 0, "");
    assertOutcome(found(100, 0, 1, 0, 0), 0, 0, "");
    assertOutcome(
        found(1_000, 1, 999, 0, 0),
        0,
        3,
        "learned with losses: 1 of 1,000 events were refused (--allow-malformed is 0 %)");
    assertOutcome(found(1_000, 10, 990, 0, 0), 0.01, 0, "");
    assertOutcome(
        found(1_000, 11, 989, 0, 0),
        0.01,
        3,
        "learned with losses: 11 of 1,000 events were refused (--allow-malformed is 1 %)");
    assertOutcome(
        found(1_000, 0, 1_000, 7, 2),
        1,
        3,
        "learned with losses: 7 offsets were gone before they were read, 2 samples were"
            + " quarantined, because they fail in training");
    assertOutcome(found(600, 600, 0, 0, 0), 1, 4, "nothing learned: all 600 events were refused");
    assertOutcome(
        found(600, 100, 0, 0, 0),
        1,
        4,
        "nothing learned: none of 500 events had features and a label, and 100 were refused");
    assertOutcome(
        found(5, 0, 5, 0, 5),
        1,
        4,
        "nothing learned: all 5 samples were quarantined, because they fail in training");
  }

  @Test
  void of_anInputThatWasStopped_isNotKnownYet() {
    assertThat(InputOutcome.of(found(6, 0, 0, 0, 0), false, 0)).isEqualTo(InputOutcome.LEARNED);
    assertThat(InputOutcome.of(found(6, 6, 0, 0, 0), false, 0)).isEqualTo(InputOutcome.LEARNED);
  }

  @Test
  void of_severalInputs_isTheWorstThatHoldsForAll() {
    assertThat(InputOutcome.of(List.of())).isEqualTo(InputOutcome.LEARNED);
    assertThat(InputOutcome.of(List.of(InputOutcome.LEARNED, InputOutcome.NOTHING)))
        .isEqualTo(InputOutcome.LOSSES);
    assertThat(InputOutcome.of(List.of(InputOutcome.NOTHING, InputOutcome.NOTHING)))
        .isEqualTo(InputOutcome.NOTHING);
    assertThat(InputOutcome.of(List.of(InputOutcome.LEARNED, InputOutcome.LEARNED)))
        .isEqualTo(InputOutcome.LEARNED);
  }
}
