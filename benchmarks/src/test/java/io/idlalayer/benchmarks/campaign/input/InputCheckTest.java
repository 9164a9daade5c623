package io.idlalayer.benchmarks.campaign.input;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.benchmarks.campaign.check.Invariant;
import io.idlalayer.benchmarks.campaign.check.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A run that did what is expected, and what the check finds if one thing of it is otherwise. */
final class InputCheckTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<Reading> readings =
      List.of(
          Reading.of("", "1", "no"),
          Reading.of("", "2", "yes"),
          Reading.of("", "2", "yes"),
          Reading.of("", "3", ""),
          Reading.refused(Refusal.NO_NUMBER));
  private final List<String> events = new ArrayList<>(List.of("1", "2", "2", "3", "x"));
  private Expected expected = Expected.of(readings, 0, List.of());
  private List<Integer> deadLetters = List.of(4);
  private int exitCode = 3;
  private double seconds = 8;
  private String terminal =
      """
      a: 1 of 5 events were refused (20.0 %)
      a: 1 x x: ... is not a number; first in in.csv line 5: x
      a: learned with losses: 1 of 5 events were refused; exit code 3
      """;
  private @Nullable ObjectNode report = report(3, 1, 1, 0);

  private static ObjectNode report(int trained, int malformed, int unlabelled, int duplicates) {
    ObjectNode report = JSON.createObjectNode();
    int received = trained + malformed + unlabelled + duplicates;
    report.put("trainedNewSamples", trained);
    report
        .putObject("samples")
        .put("received", received)
        .put("malformed", malformed)
        .put("unlabeled", unlabelled)
        .put("duplicates", duplicates);
    report
        .putObject("balance")
        .put("received", received)
        .put("accounted", received)
        .put("pending", 0)
        .put("holds", true);
    return report;
  }

  private List<Violation> violations() {
    return new InputHistory(
            List.of("a theme"),
            readings,
            expected,
            exitCode,
            terminal,
            report,
            events,
            deadLetters,
            seconds,
            100)
        .check()
        .violations();
  }

  private Set<Invariant> violated() {
    return violations().stream().map(Violation::invariant).collect(Collectors.toSet());
  }

  @Test
  void check_runAsExpected_hasNoViolations() {
    assertThat(violations()).isEmpty();
  }

  @Test
  void check_lostRow_violatesEquivalence() {
    report = report(2, 1, 1, 0);
    assertThat(violated()).contains(Invariant.EQUIVALENCE);
  }

  @Test
  void check_contentThatComesAgainIsADuplicate_violatesEquivalence() {
    report = report(2, 1, 1, 1);
    assertThat(violated()).contains(Invariant.EQUIVALENCE);
  }

  @Test
  void check_contentThatIsTrainedTooOften_violatesEquivalence() {
    report = report(4, 1, 0, 0);
    assertThat(violated()).contains(Invariant.EQUIVALENCE);
  }

  @Test
  void check_rowThatWasNotSent_violatesSentOnce() {
    events.remove(3);
    assertThat(violated()).containsExactly(Invariant.SENT_ONCE);
  }

  @Test
  void check_goodRowRefused_violatesDeadLetters() {
    deadLetters = List.of(1, 4);
    assertThat(violations())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.invariant()).isEqualTo(Invariant.DEAD_LETTERS);
              assertThat(violation.what()).contains("event 1");
            });
  }

  @Test
  void check_malformedRowTaken_violatesDeadLetters() {
    deadLetters = List.of();
    assertThat(violated()).containsExactly(Invariant.DEAD_LETTERS);
  }

  @Test
  void check_successThatIsNone_violatesExitCode() {
    exitCode = 0;
    assertThat(violated()).containsExactly(Invariant.EXIT_CODE);
  }

  @Test
  void check_noReport_violatesConservation() {
    report = null;
    assertThat(violated()).containsExactly(Invariant.CONSERVATION);
  }

  @Test
  void check_eventThatWaits_violatesConservation() {
    ObjectNode waiting = report(3, 1, 1, 0);
    ((ObjectNode) waiting.path("balance")).put("pending", 1);
    report = waiting;
    assertThat(violated()).containsExactly(Invariant.CONSERVATION);
  }

  @Test
  void check_quarantined_violatesEquivalence() {
    ObjectNode given = report(3, 1, 1, 0);
    ((ObjectNode) given.path("samples")).put("quarantined", 1);
    report = given;
    assertThat(violated()).containsExactly(Invariant.EQUIVALENCE);
  }

  @Test
  void check_noReasonOnTheTerminal_violatesSentence() {
    terminal = "a: learned with losses; exit code 3";
    assertThat(violated()).containsExactly(Invariant.SENTENCE);
  }

  @Test
  void check_reasonWithAnotherCount_violatesSentence() {
    terminal = "a: 7 x x: ... is not a number\na: learned with losses; exit code 3";
    assertThat(violated()).containsExactly(Invariant.SENTENCE);
  }

  @Test
  void check_noWordOfLosses_violatesSentence() {
    terminal = "a: 1 x x: ... is not a number";
    assertThat(violated()).containsExactly(Invariant.SENTENCE);
  }

  @Test
  void check_stackTrace_violatesSentence() {
    terminal += "java.lang.IllegalStateException: x\n\tat io.idlalayer.Some.method(Some.java:1)\n";
    assertThat(violated()).containsExactly(Invariant.SENTENCE);
  }

  @Test
  void check_divergence_violatesSentence() {
    terminal += "a: update 3 diverged\n";
    assertThat(violated()).containsExactly(Invariant.SENTENCE);
  }

  @Test
  void check_wordsThatAreMissing_violateSentence() {
    expected = Expected.of(readings, 0, List.of("did you mean.*Site"));
    assertThat(violated()).containsExactly(Invariant.SENTENCE);
    terminal += "a: field 'site' was in none of 5 events; did you mean 'Site'?\n";
    assertThat(violations()).isEmpty();
  }

  @Test
  void check_runThatDoesNotEnd_violatesLiveness() {
    seconds = 101;
    assertThat(violated()).containsExactly(Invariant.LIVENESS);
  }

  @Test
  void check_refusedInputThatWasSent_violatesSentOnce() {
    expected = Expected.refused(List.of("refused"));
    exitCode = 2;
    report = null;
    assertThat(violated()).containsExactly(Invariant.SENT_ONCE);
  }

  @Test
  void of_allowedShare_isNoLoss() {
    assertThat(Expected.of(readings, 0.2, List.of()).exitCode()).isEqualTo(Expected.LEARNED);
    assertThat(Expected.of(readings, 0.19, List.of()).exitCode()).isEqualTo(Expected.LOSSES);
    assertThat(Expected.of(readings.subList(3, 5), 1, List.of()).exitCode())
        .isEqualTo(Expected.NOTHING);
    assertThat(Expected.of(List.of(), 1, List.of()).exitCode()).isEqualTo(Expected.NOTHING);
  }
}
