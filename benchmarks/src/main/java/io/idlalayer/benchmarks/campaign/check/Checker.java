package io.idlalayer.benchmarks.campaign.check;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.benchmarks.campaign.check.History.Event;
import io.idlalayer.benchmarks.campaign.check.History.LostRange;
import io.idlalayer.benchmarks.campaign.check.History.Manifest;
import io.idlalayer.benchmarks.campaign.check.History.Origin;
import io.idlalayer.benchmarks.campaign.check.History.Served;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Checks a history. Written from the documents: it shares no code with the product and reads its
 * files as JSON.
 */
public final class Checker {
  /** The partition that 'models follow' follows unless it is told otherwise. */
  private static final int FOLLOWED = 0;

  private final History history;
  private final List<Violation> violations = new ArrayList<>();
  private final Map<Invariant, Integer> checks = new EnumMap<>(Invariant.class);

  private Checker(History history) {
    this.history = history;
  }

  /** What was found, and how often each invariant was tried. */
  public record Findings(List<Violation> violations, Map<Invariant, Integer> checks) {}

  public static Findings check(History history) {
    Checker checker = new Checker(history);
    checker.liveness();
    checker.exitCode();
    checker.checkCounts();
    checker.lineages();
    checker.subscribers();
    checker.sentOnce();
    checker.deadLetters();
    checker.surroundings();
    return new Findings(checker.violations, checker.checks);
  }

  private void expect(Invariant invariant, boolean holds, String otherwise) {
    checks.merge(invariant, 1, Integer::sum);
    if (!holds) {
      violations.add(new Violation(invariant, otherwise));
    }
  }

  private boolean complete() {
    return History.learned(history.exitCode());
  }

  private void liveness() {
    double bound = history.promise().boundSeconds();
    expect(
        Invariant.LIVENESS,
        history.exitCode() != -1 && history.secondsAfterLastFault() <= bound,
        "the run had not ended %.0f s after the last fault: %s"
            .formatted(Math.min(bound, history.secondsAfterLastFault()), history.message()));
  }

  private void exitCode() {
    if (history.exitCode() == -1) {
      return;
    }
    if (!complete()) {
      expect(
          Invariant.EXIT_CODE,
          history.promise().mayRefuse() && !history.message().isBlank(),
          "exit code %d: %s".formatted(history.exitCode(), history.message()));
      return;
    }
    JsonNode report = history.report();
    expect(Invariant.EXIT_CODE, report != null, "an end with a success, without a report");
    if (report != null) {
      long losses = count(report, "malformed") + count(report, "quarantined") + lost(report);
      expect(
          Invariant.EXIT_CODE,
          history.exitCode() == 0 || losses > 0,
          "exit code %d, but no event was refused, lost or given up".formatted(history.exitCode()));
      Tally tally = Tally.of(history.events());
      long received = count(report, "received");
      long pending = report.path("balance").path("pending").asLong();
      expect(
          Invariant.EXIT_CODE,
          received + lost(report) >= tally.events() && pending == 0,
          "a success, but of %d events %d were received, %d wait and %d are said to be lost"
              .formatted(tally.events(), received, pending, lost(report)));
    }
  }

  private static long count(JsonNode report, String field) {
    return report.path("samples").path(field).asLong();
  }

  /** Offsets that the product itself says it has lost. */
  private static long lost(JsonNode report) {
    return report.path("balance").path("lostOffsets").asLong();
  }

  /** First models that came after others before any recovery point had a model. */
  public static long earlyRestarts(History history) {
    long previous = -1;
    long found = 0;
    for (Manifest version : history.manifests()) {
      boolean again = previous == version.partition() && version.parentDigest().isEmpty();
      found += again && !version.afterRecoveryPoint() ? 1 : 0;
      previous = version.partition();
    }
    return found;
  }

  private void checkCounts() {
    JsonNode report = history.report();
    if (report == null || !complete()) {
      return;
    }
    Tally tally = Tally.of(history.events());
    long trained = report.path("trainedNewSamples").asLong();
    long received = count(report, "received");
    long revived = count(report, "revived");
    long classes =
        trained
            + count(report, "duplicates")
            + count(report, "merged")
            + count(report, "labelsWaiting")
            + count(report, "labelsGivenUp")
            + count(report, "malformed")
            + count(report, "unlabeled")
            + count(report, "quarantined");
    expect(
        Invariant.CONSERVATION,
        classes == received,
        "%d events received, %d in classes".formatted(received, classes));
    long gone = history.lost().stream().mapToLong(LostRange::size).sum();
    long uncertain = history.promise().uncertain();
    // Lost events were never read, unless the report counts them among the received.
    expect(
        Invariant.CONSERVATION,
        lost(report) >= gone,
        "the topic lost %d events before they were read, %s; the report names %d"
            .formatted(gone, history.lost(), lost(report)));
    expect(
        Invariant.CONSERVATION,
        received >= tally.events() - uncertain && received <= tally.events() + uncertain + gone,
        "%d events are committed, %d were received".formatted(tally.events(), received));
    if (uncertain == 0 && gone == 0) {
      equivalence(report, tally, trained - revived);
    }
    expect(
        Invariant.ONCE,
        trained - revived <= tally.contents() + uncertain + gone,
        "%d labelled contents, trained as new %d times (revived %d)"
            .formatted(tally.contents(), trained, revived));
  }

  private void equivalence(JsonNode report, Tally tally, long trained) {
    long quarantined = count(report, "quarantined");
    same("labelled contents", tally.contents(), trained + quarantined);
    same("malformed", tally.malformed(), count(report, "malformed"));
    same("without label", tally.unlabelled(), count(report, "unlabeled"));
    same("repeated", tally.repeated(), count(report, "duplicates") + count(report, "revived"));
    JsonNode other = history.faultFree();
    if (other != null) {
      for (String field : List.of("received", "malformed", "unlabeled", "stored")) {
        same(field + " without faults", count(other, field), count(report, field));
      }
      if (other.has("tables")) {
        same("rows of ids without faults", rows(other), rows(report));
      }
    }
  }

  private static long rows(JsonNode report) {
    return report.path("tables").path("rows").asLong(-1);
  }

  private void same(String what, long expected, long actual) {
    expect(
        Invariant.EQUIVALENCE,
        expected == actual,
        "%s: %d expected, %d counted".formatted(what, expected, actual));
  }

  private void lineages() {
    Map<Integer, List<Manifest>> byPartition =
        history.manifests().stream().collect(Collectors.groupingBy(Manifest::partition));
    byPartition.values().forEach(this::lineage);
  }

  private void lineage(List<Manifest> versions) {
    Map<String, Manifest> byDigest = new HashMap<>();
    Set<String> inService = inService(versions);
    Manifest before = null;
    for (Manifest version : versions) {
      Manifest parent = byDigest.get(version.parentDigest());
      boolean first = version.parentDigest().isEmpty();
      expect(
          Invariant.LINEAGE,
          first || (parent != null && parent.version() == version.parentVersion()),
          "v%d names v%d with digest %s as its parent, which is not a published version"
              .formatted(version.version(), version.parentVersion(), version.parentDigest()));
      long expected = (parent == null ? 0 : parent.trained()) + version.newSamples();
      if (first || parent != null) {
        boolean next =
            parent == null || !unpublishedBetween(parent, version, byDigest.values(), inService);
        expect(
            Invariant.LINEAGE,
            next ? version.trained() == expected : version.trained() > expected,
            "v%d has %d trained samples, its parent v%d and its own %d make %d"
                .formatted(
                    version.version(),
                    version.trained(),
                    version.parentVersion(),
                    version.newSamples(),
                    expected));
      }
      if (before != null) {
        resurrection(before, version, parent);
      }
      once(version);
      byDigest.put(version.digest(), version);
      before = inService.contains(version.digest()) ? version : before;
    }
  }

  /**
   * Digests of the versions that a pointer has named. It may move on before anybody looks at it, so
   * the parent of such a version is one, too.
   */
  private static Set<String> inService(List<Manifest> versions) {
    Set<String> digests = new HashSet<>();
    for (int i = versions.size() - 1; i >= 0; i--) {
      Manifest version = versions.get(i);
      if (version.named() || digests.contains(version.digest())) {
        digests.add(version.digest());
        digests.add(version.parentDigest());
      }
    }
    return digests;
  }

  /**
   * Whether updates between a version and its parent were trained and could not be published. One
   * that was published would have to be the parent; unless it was published in another life of the
   * job, which the version says that it does not continue, and the disk did not take it in this
   * one.
   */
  private boolean unpublishedBetween(
      Manifest parent, Manifest version, Collection<Manifest> published, Set<String> inService) {
    boolean otherLife = history.promise().mayMissVersions() && !version.branch().isEmpty();
    return version.update() > parent.update() + 1
        && (otherLife
            || published.stream()
                .noneMatch(
                    it ->
                        inService.contains(it.digest())
                            && it.parentDigest().equals(parent.digest())
                            && it.update() > parent.update()
                            && it.update() < version.update()));
  }

  private void resurrection(
      Manifest before, Manifest version, @org.jspecify.annotations.Nullable Manifest parent) {
    boolean follows = version.parentDigest().equals(before.digest());
    // A version whose files were damaged is not the one in service any more.
    boolean declared =
        follows
            || version.update() < 0
            || history.promise().mayRefuseVersions()
            || !version.branch().isEmpty();
    expect(
        Invariant.RESURRECTION,
        declared,
        "v%d came after v%d, is not made from it and does not say so"
            .formatted(version.version(), before.version()));
    boolean may =
        history.promise().mayStartOver() || parent != null || !version.afterRecoveryPoint();
    expect(
        Invariant.RESURRECTION,
        version.trained() >= before.trained() || may,
        "v%d with %d trained samples came after v%d with %d, from nothing"
            .formatted(version.version(), version.trained(), before.version(), before.trained()));
  }

  private void once(Manifest version) {
    if (history.events().isEmpty() || version.offsets().isEmpty()) {
      return;
    }
    List<Event> own =
        history.events().stream()
            .filter(event -> version.offsets().containsKey(event.partition()))
            .toList();
    Tally read = Tally.before(own, version.offsets());
    long gone = history.lost().stream().mapToLong(LostRange::size).sum();
    long most = read.contents() + read.repeated() + history.promise().uncertain() + gone;
    expect(
        Invariant.ONCE,
        version.trained() <= most,
        "v%d trained %d new samples, but only %d labelled events had been read"
            .formatted(version.version(), version.trained(), most));
  }

  private void subscribers() {
    Map<Long, Long> trained = new HashMap<>();
    history.manifests().stream()
        .filter(it -> it.partition() == FOLLOWED)
        .forEach(it -> trained.put(it.version(), it.trained()));
    for (List<Served> log : history.followers()) {
      long last = 0;
      for (Served served : log) {
        expect(
            Invariant.SUBSCRIBER,
            served.version() > last,
            "v%d went into service after v%d".formatted(served.version(), last));
        last = served.version();
        Long published = trained.get(served.version());
        expect(
            Invariant.SUBSCRIBER,
            published != null && published == served.trained(),
            "v%d served with %d trained samples, published with %s"
                .formatted(served.version(), served.trained(), published));
      }
    }
    if (!history.promise().mayRefuseVersions()) {
      expect(
          Invariant.SUBSCRIBER,
          history.refusals().isEmpty() && history.torn().isEmpty(),
          "refused: %s; read torn: %s".formatted(history.refusals(), history.torn()));
    }
  }

  private void sentOnce() {
    List<String> rows = history.promise().rows();
    if (rows.isEmpty()) {
      return;
    }
    Map<String, Integer> found = new HashMap<>();
    for (Event event : history.events()) {
      if (!event.control()) {
        found.merge(Row.of(event.value()).number(), 1, Integer::sum);
      }
    }
    Set<String> twice = new TreeSet<>();
    found.forEach(
        (row, times) -> {
          if (times > 1) {
            twice.add(row);
          }
        });
    expect(
        Invariant.SENT_ONCE,
        twice.isEmpty(),
        "%d rows were sent more than once, the first %s"
            .formatted(twice.size(), twice.isEmpty() ? "" : twice.iterator().next()));
    if (complete()) {
      List<String> missing = rows.stream().filter(row -> !found.containsKey(row)).toList();
      expect(
          Invariant.SENT_ONCE,
          missing.isEmpty(),
          "exit code 0, but %d rows were never sent, the first %s"
              .formatted(missing.size(), missing.isEmpty() ? "" : missing.get(0)));
    }
  }

  private void deadLetters() {
    if (!complete() || history.promise().uncertain() > 0 || !history.lost().isEmpty()) {
      return;
    }
    Set<Origin> expected = new HashSet<>();
    for (Event event : history.events()) {
      if (!event.control() && Row.of(event.value()).kind() == Row.Kind.MALFORMED) {
        expected.add(new Origin(event.partition(), event.offset()));
      }
    }
    Set<Origin> found = new HashSet<>(history.deadLetters());
    Set<Origin> missing = new HashSet<>(expected);
    missing.removeAll(found);
    found.removeAll(expected);
    expect(
        Invariant.DEAD_LETTERS,
        missing.isEmpty() && found.isEmpty(),
        "missing in the dead letters: %s; too many: %s".formatted(missing, found));
  }

  private void surroundings() {
    expect(
        Invariant.SOCKETS,
        history.sockets().isEmpty(),
        "listens for other hosts: " + history.sockets());
    if (!history.foreign().before().isEmpty()) {
      expect(
          Invariant.FOREIGN_FILES,
          history.foreign().before().equals(history.foreign().after()),
          "other people's files were %s and are %s"
              .formatted(history.foreign().before().keySet(), history.foreign().after().keySet()));
    }
  }
}
