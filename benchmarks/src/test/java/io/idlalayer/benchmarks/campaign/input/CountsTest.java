package io.idlalayer.benchmarks.campaign.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CountsTest {
  /** Steps as in {@link IdScripts}. */
  @ParameterizedTest
  @CsvSource({
    "F, 1, 0, 0, 0",
    "FF, 1, 0, 1, 0",
    "E, 0, 1, 0, 0",
    "EE, 0, 1, 1, 0",
    "L, 0, 0, 0, 1",
    "LL, 0, 0, 1, 1",
    "EL, 1, 1, 0, 0",
    "LE, 1, 1, 0, 0",
    "LF, 1, 0, 1, 0",
    "FL, 1, 0, 1, 0",
    "FE, 1, 0, 1, 0",
    "EF, 1, 1, 0, 0",
    "ELL, 1, 1, 1, 0",
    "LEL, 1, 1, 1, 0",
    "EEL, 1, 1, 1, 0",
  })
  void of_eventsOfOneId_countEachOnce(
      String steps, int trained, int unlabelled, int repeated, int waiting) {
    List<Reading> readings = new ArrayList<>();
    for (int i = 0; i < steps.length(); i++) {
      char step = steps.charAt(i);
      readings.add(Reading.of("e", step == 'L' ? "" : "x", step == 'E' ? "" : "no"));
    }
    assertThat(Counts.of(readings))
        .isEqualTo(new Counts(steps.length(), 0, trained, unlabelled, repeated, waiting));
  }

  @Test
  void of_eventsWithoutIds_areSamplesOfTheirOwn() {
    Reading sample = Reading.of("", "x", "no");
    List<Reading> readings =
        List.of(
            sample,
            sample,
            Reading.of("", "x", "yes"),
            Reading.of("", "x", ""),
            Reading.of("", "x", ""),
            Reading.refused(Refusal.FIELDS));
    assertThat(Counts.of(readings)).isEqualTo(new Counts(6, 1, 3, 2, 0, 0));
  }
}
