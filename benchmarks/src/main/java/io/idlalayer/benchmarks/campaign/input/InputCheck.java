package io.idlalayer.benchmarks.campaign.input;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.benchmarks.campaign.check.Checker;
import io.idlalayer.benchmarks.campaign.check.Invariant;
import io.idlalayer.benchmarks.campaign.check.Violation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks a run with an odd input. Written from the documents; shares no code with the product. */
final class InputCheck {
  private static final int SHOWN = 160;
  private static final int NAMED = 3;
  private static final Pattern NUMBER =
      Pattern.compile("(?<![\\w.])\\d{1,3}(?:,?\\d{3})*(?![\\w])");

  /** What no terminal may show, whatever the input is. */
  private static final Pattern NEVER =
      Pattern.compile(
          "(?m)^\\s+at [\\w.$/]+\\(|Exception in thread|^Caused by:|\\w+Exception: |diverged"
              + "|\\d+ samples were quarantined");

  private final InputHistory history;
  private final Expected expected;
  private final List<Violation> violations = new ArrayList<>();
  private final Map<Invariant, Integer> checks = new EnumMap<>(Invariant.class);

  private InputCheck(InputHistory history) {
    this.history = history;
    expected = history.expected();
  }

  static Checker.Findings check(InputHistory history) {
    InputCheck check = new InputCheck(history);
    check.end();
    check.sentences();
    Counts counts = history.expected().counts();
    if (counts != null) {
      check.sent(counts);
      check.balance(counts);
    } else {
      check.expect(
          Invariant.SENT_ONCE,
          history.events().isEmpty(),
          "%d events were sent of an input that is refused".formatted(history.events().size()));
    }
    return new Checker.Findings(check.violations, check.checks);
  }

  private void expect(Invariant invariant, boolean holds, String otherwise) {
    checks.merge(invariant, 1, Integer::sum);
    if (!holds) {
      violations.add(new Violation(invariant, history.about().get(0) + ": " + otherwise));
    }
  }

  private void end() {
    expect(
        Invariant.LIVENESS,
        history.exitCode() != -1 && history.seconds() <= history.boundSeconds(),
        "the run had not ended after %.0f s: %s".formatted(history.seconds(), lastWords()));
    expect(
        Invariant.EXIT_CODE,
        history.exitCode() == expected.exitCode(),
        "exit code %d, expected is %d: %s"
            .formatted(history.exitCode(), expected.exitCode(), lastWords()));
  }

  private String lastWords() {
    List<String> lines = history.terminal().strip().lines().toList();
    return String.join(" / ", lines.subList(Math.max(0, lines.size() - NAMED), lines.size()));
  }

  private void sentences() {
    Matcher never = NEVER.matcher(history.terminal());
    boolean found = never.find();
    expect(
        Invariant.SENTENCE,
        !found,
        "the terminal shows '%s'".formatted(found ? line(never.start()) : ""));
    for (String words : expected.words()) {
      expect(
          Invariant.SENTENCE,
          Pattern.compile(words).matcher(history.terminal()).find(),
          "the terminal does not say '%s': %s".formatted(words, lastWords()));
    }
    if (expected.exitCode() == Expected.LOSSES || expected.exitCode() == Expected.NOTHING) {
      String word = expected.exitCode() == Expected.LOSSES ? "loss" : "nothing";
      expect(
          Invariant.SENTENCE,
          history.terminal().toLowerCase(Locale.ROOT).contains(word),
          "the terminal does not say '%s': %s".formatted(word, lastWords()));
    }
    Counts counts = expected.counts();
    Refusal commonest = expected.commonest();
    if (counts != null && commonest != null) {
      expect(
          Invariant.SENTENCE,
          history.terminal().lines().anyMatch(line -> names(line, commonest, counts)),
          "the terminal does not name the commonest reason (%s, %d of %d events): %s"
              .formatted(commonest, expected.commonestEvents(), counts.received(), lastWords()));
    }
  }

  private String line(int at) {
    String rest = history.terminal().substring(at).strip();
    return rest.lines().findFirst().map(line -> cut(line)).orElse("");
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(SHOWN, text.length()));
  }

  /** Returns whether a line has the words of a reason and a number that can be its count. */
  private boolean names(String line, Refusal reason, Counts counts) {
    if (!reason.namedIn(line)) {
      return false;
    }
    // One kind of reason for the campaign may be a few for the product.
    long least = Math.max(1, expected.commonestEvents() / NAMED);
    return NUMBER
        .matcher(line)
        .results()
        .mapToLong(found -> Long.parseLong(found.group().replace(",", "")))
        .anyMatch(count -> count >= least && count <= counts.malformed());
  }

  private void sent(Counts counts) {
    expect(
        Invariant.SENT_ONCE,
        history.events().size() == counts.received(),
        "the input has %d events, the topic %d"
            .formatted(counts.received(), history.events().size()));
    if (history.events().size() != counts.received()) {
      return;
    }
    List<Integer> malformed = new ArrayList<>();
    for (int i = 0; i < history.readings().size(); i++) {
      if (history.readings().get(i).refusal() != null) {
        malformed.add(i);
      }
    }
    expect(
        Invariant.DEAD_LETTERS,
        malformed.equals(history.deadLetters()),
        "refused although they are right: %s; taken although they are malformed: %s"
            .formatted(
                named(history.deadLetters(), malformed), named(malformed, history.deadLetters())));
  }

  private String named(List<Integer> these, List<Integer> without) {
    List<String> named = new ArrayList<>();
    for (Integer index : these) {
      if (!without.contains(index) && named.size() < NAMED) {
        Reading reading = history.readings().get(index);
        named.add(
            "event %d (%s) '%s'"
                .formatted(index, reading.refusal(), cut(history.events().get(index))));
      }
    }
    return named.toString();
  }

  private void balance(Counts counts) {
    JsonNode report = history.report();
    expect(Invariant.CONSERVATION, report != null, "there is no report");
    if (report == null) {
      return;
    }
    same(report, "events", counts.received(), count(report, "received"));
    same(report, "malformed events", counts.malformed(), count(report, "malformed"));
    same(report, "events without a label", counts.unlabelled(), count(report, "unlabeled"));
    samples(report, counts);
    same(
        report,
        "labels without an event",
        counts.waiting(),
        count(report, "labelsWaiting") + count(report, "labelsGivenUp"));
    same(report, "quarantined", 0, count(report, "quarantined"));
    JsonNode balance = report.path("balance");
    expect(
        Invariant.CONSERVATION,
        balance.path("holds").asBoolean()
            && balance.path("pending").asLong() == 0
            && balance.path("accounted").asLong() == counts.received(),
        "the balance does not hold: " + balance);
  }

  private void samples(JsonNode report, Counts counts) {
    long trained = report.path("trainedNewSamples").asLong();
    long revived = count(report, "revived");
    long nothing = count(report, "duplicates") + count(report, "merged");
    same(report, "samples trained as new", counts.trained(), trained - revived);
    same(report, "events that add nothing", counts.repeated(), nothing + revived);
  }

  private static long count(@Nullable JsonNode report, String field) {
    return report == null ? 0 : report.path("samples").path(field).asLong();
  }

  private void same(JsonNode report, String what, long wanted, long counted) {
    expect(
        Invariant.EQUIVALENCE,
        wanted == counted,
        "%s: %d expected, %d counted; trained %s, %s"
            .formatted(
                what,
                wanted,
                counted,
                report.path("trainedNewSamples"),
                report.path("samples").toString()));
  }
}
