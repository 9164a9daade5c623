package io.idlalayer.benchmarks.campaign.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.benchmarks.campaign.check.History.Event;
import io.idlalayer.benchmarks.campaign.check.History.Foreign;
import io.idlalayer.benchmarks.campaign.check.History.LostRange;
import io.idlalayer.benchmarks.campaign.check.History.Manifest;
import io.idlalayer.benchmarks.campaign.check.History.Origin;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.History.Served;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A history in which everything holds, and each invariant violated once: it must be found. */
final class CheckerTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The parts of a history, to be changed by a test. */
  private final List<Event> events = new ArrayList<>();

  private final List<LostRange> lost = new ArrayList<>();
  private final List<Manifest> manifests = new ArrayList<>();
  private final List<String> torn = new ArrayList<>();
  private final List<Served> served = new ArrayList<>();
  private final List<String> refusals = new ArrayList<>();
  private final List<Origin> deadLetters = new ArrayList<>();
  private final ObjectNode report = JSON.createObjectNode();
  private final List<String> sockets = new ArrayList<>();
  private final Map<String, String> foreign = new TreeMap<>(Map.of("a", "1"));
  private int exitCode;
  private String message = "";
  private double seconds = 10;
  private Promise promise = Promise.all(60);
  private ObjectNode faultFree;

  /** Six events: three contents, one of them twice, one malformed, one without a label. */
  @BeforeEach
  void everythingHolds() {
    String[] rows = {
      "1,0.1,0.2,1", "2,0.3,0.4,0", "3,0.1,0.2,1", "4,x,0.2,1", "5,0.5,0.6,", "6,0.7,0.8,1"
    };
    for (int i = 0; i < rows.length; i++) {
      events.add(new Event("topic", 0, i, rows[i], false));
    }
    events.add(new Event("topic", 0, rows.length, "", true));
    deadLetters.add(new Origin(0, 3));
    manifests.add(new Manifest(0, 1, 0, "d1", "", 2, 2, Map.of(0, 4L), "", 1, true, true));
    manifests.add(new Manifest(0, 2, 1, "d2", "d1", 3, 1, Map.of(0, 7L), "", 2, true, true));
    served.add(new Served(1, 2));
    served.add(new Served(2, 3));
    ObjectNode samples = report.putObject("samples");
    samples.put("received", 6).put("malformed", 1).put("unlabeled", 1).put("duplicates", 1);
    samples.put("revived", 0).put("quarantined", 0).put("stored", 4);
    report.put("trainedNewSamples", 3);
    report.putObject("balance").put("pending", 0).put("holds", true);
    faultFree = report.deepCopy();
    promise = promise.rows(List.of("1", "2", "3", "4", "5", "6"));
  }

  private ObjectNode samples() {
    return (ObjectNode) report.get("samples");
  }

  private List<Invariant> violated() {
    return violated(report);
  }

  private List<Invariant> violated(JsonNode written) {
    List<Manifest> sorted = new ArrayList<>(manifests);
    sorted.sort(Comparator.comparingLong(Manifest::version));
    History history =
        new History(
            events,
            lost,
            sorted,
            torn,
            List.of(served),
            refusals,
            deadLetters,
            written,
            faultFree,
            exitCode,
            message,
            seconds,
            sockets,
            new Foreign(Map.of("a", "1"), foreign),
            promise);
    return Checker.check(history).violations().stream()
        .map(Violation::invariant)
        .distinct()
        .toList();
  }

  @Test
  void check_nothingWrong_findsNothingButTriesEverything() {
    assertThat(violated()).isEmpty();
  }

  @Test
  void check_eventInNoClass_violatesConservation() {
    samples().put("duplicates", 0);
    assertThat(violated()).contains(Invariant.CONSERVATION);
  }

  @Test
  void check_lostRangeThatNobodyNames_violatesConservation() {
    lost.add(new LostRange(0, 7, 9));
    assertThat(violated()).containsExactly(Invariant.CONSERVATION);
    ((ObjectNode) report.get("balance")).put("lostOffsets", 2);
    assertThat(violated()).isEmpty();
  }

  @Test
  void check_abortedEventsReceived_violatesConservation() {
    samples().put("received", 8).put("duplicates", 3);
    assertThat(violated()).contains(Invariant.CONSERVATION);
  }

  @Test
  void check_moreTrainedThanContents_violatesOnce() {
    report.put("trainedNewSamples", 4);
    samples().put("duplicates", 0);
    assertThat(violated()).contains(Invariant.ONCE);
  }

  @Test
  void check_versionTrainedMoreThanWasRead_violatesOnce() {
    manifests.set(0, new Manifest(0, 1, 0, "d1", "", 2, 2, Map.of(0, 1L), "", 1, true, true));
    assertThat(violated()).containsExactly(Invariant.ONCE);
  }

  @Test
  void check_firstModelAfterOthers_violatesResurrection() {
    manifests.add(
        new Manifest(0, 3, 0, "d3", "", 1, 1, Map.of(0, 7L), "begins anew", 3, true, true));
    assertThat(violated()).containsExactly(Invariant.RESURRECTION);
  }

  @Test
  void check_firstModelBeforeAnyRecoveryPoint_isNoResurrectionButCounted() {
    manifests.add(
        new Manifest(0, 3, 0, "d3", "", 1, 1, Map.of(0, 7L), "begins anew", 3, false, true));
    assertThat(violated()).isEmpty();
  }

  @Test
  void check_branchFromAnOlderVersion_isDeclared() {
    manifests.add(
        new Manifest(0, 3, 1, "d3", "d1", 2, 0, Map.of(0, 7L), "continues 1", 2, true, true));
    assertThat(violated()).isEmpty();
  }

  @Test
  void check_parentThatDoesNotExist_violatesLineage() {
    manifests.set(
        1, new Manifest(0, 2, 1, "d2", "gone", 3, 1, Map.of(0, 7L), "continues 1", 2, true, true));
    assertThat(violated()).containsExactly(Invariant.LINEAGE);
  }

  @Test
  void check_sumsThatDisagreeWithTheParent_violateLineage() {
    manifests.add(
        new Manifest(0, 3, 1, "d3", "d1", 4, 1, Map.of(0, 7L), "continues 1", 2, true, true));
    assertThat(violated()).containsExactly(Invariant.LINEAGE);
  }

  @Test
  void check_updatesThatWereNotPublished_mayLieBetween() {
    manifests.add(new Manifest(0, 3, 2, "d3", "d2", 6, 1, Map.of(0, 7L), "", 4, true, true));
    assertThat(violated()).doesNotContain(Invariant.LINEAGE);
    manifests.set(2, new Manifest(0, 3, 2, "d3", "d2", 6, 1, Map.of(0, 7L), "", 3, true, true));
    assertThat(violated()).contains(Invariant.LINEAGE);
  }

  /** Its folder was complete when the disk was full for the pointer. */
  @Test
  void check_versionThatNoPointerNamed_isNoneOfTheLineage() {
    manifests.add(new Manifest(0, 3, 2, "d3", "d2", 4, 1, Map.of(0, 7L), "", 3, true, false));
    manifests.add(new Manifest(0, 4, 2, "d4", "d2", 6, 1, Map.of(0, 7L), "", 5, true, true));
    assertThat(violated()).doesNotContain(Invariant.LINEAGE, Invariant.RESURRECTION);
    manifests.set(2, new Manifest(0, 3, 2, "d3", "d2", 4, 1, Map.of(0, 7L), "", 3, true, true));
    assertThat(violated()).contains(Invariant.LINEAGE, Invariant.RESURRECTION);
  }

  /** The next version came before anybody looked at the pointer. */
  @Test
  void check_parentWhosePointerNobodySaw_isOfTheLineage() {
    manifests.add(new Manifest(0, 3, 2, "d3", "d2", 4, 1, Map.of(0, 7L), "", 3, true, false));
    manifests.add(new Manifest(0, 4, 3, "d4", "d3", 5, 1, Map.of(0, 7L), "", 4, true, true));
    assertThat(violated()).doesNotContain(Invariant.LINEAGE, Invariant.RESURRECTION);
    manifests.set(3, new Manifest(0, 4, 2, "d4", "d2", 4, 1, Map.of(0, 7L), "", 4, true, true));
    manifests.add(new Manifest(0, 5, 3, "d5", "d3", 5, 1, Map.of(0, 7L), "", 4, true, true));
    assertThat(violated()).contains(Invariant.RESURRECTION);
  }

  /** Version 2 was published before a restart; after it the disk was full for the same update. */
  @Test
  void check_updateThatTheDiskDidNotTakeAgain_mayLieBetween() {
    manifests.add(
        new Manifest(0, 3, 1, "d3", "d1", 4, 1, Map.of(0, 7L), "continues 1", 3, true, true));
    assertThat(violated()).contains(Invariant.LINEAGE);
    promise = promise.unwritable();
    assertThat(violated()).doesNotContain(Invariant.LINEAGE, Invariant.RESURRECTION);
  }

  @Test
  void check_trainedBeforeAPublicationThatWasPending_violatesLineage() {
    manifests.add(
        new Manifest(0, 3, 1, "d3", "d1", 4, 1, Map.of(0, 7L), "continues 1", 3, true, true));
    assertThat(violated()).containsExactly(Invariant.LINEAGE);
  }

  @Test
  void check_branchThatIsNotDeclared_violatesResurrection() {
    manifests.add(new Manifest(0, 3, 1, "d3", "d1", 3, 1, Map.of(0, 7L), "", 2, true, true));
    assertThat(violated()).containsExactly(Invariant.RESURRECTION);
  }

  @Test
  void check_otherCountsThanWithoutFaults_violateEquivalence() {
    ((ObjectNode) faultFree.get("samples")).put("stored", 5);
    assertThat(violated()).containsExactly(Invariant.EQUIVALENCE);
  }

  @Test
  void check_otherRowsThanWithoutFaults_violateEquivalence() {
    faultFree.putObject("tables").put("rows", 3);
    report.putObject("tables").put("rows", 3);
    assertThat(violated()).isEmpty();
    report.putObject("tables").put("rows", 2);
    assertThat(violated()).containsExactly(Invariant.EQUIVALENCE);
  }

  @Test
  void check_otherClassesThanTheTopic_violateEquivalence() {
    samples().put("malformed", 2).put("unlabeled", 0);
    assertThat(violated()).containsExactly(Invariant.EQUIVALENCE);
  }

  @Test
  void check_malformedEventWithoutDeadLetter_isFound() {
    deadLetters.clear();
    assertThat(violated()).containsExactly(Invariant.DEAD_LETTERS);
  }

  @Test
  void check_goodEventAmongDeadLetters_isFound() {
    deadLetters.add(new Origin(0, 0));
    assertThat(violated()).containsExactly(Invariant.DEAD_LETTERS);
  }

  @Test
  void check_olderVersionServed_violatesSubscriber() {
    served.add(new Served(1, 2));
    assertThat(violated()).containsExactly(Invariant.SUBSCRIBER);
  }

  @Test
  void check_mixedVersionServed_violatesSubscriber() {
    served.set(1, new Served(2, 2));
    assertThat(violated()).containsExactly(Invariant.SUBSCRIBER);
  }

  @Test
  void check_tornVersion_violatesSubscriberUnlessFilesWereDamaged() {
    torn.add("v2 is half");
    assertThat(violated()).containsExactly(Invariant.SUBSCRIBER);
    promise = promise.damaged();
    assertThat(violated()).isEmpty();
  }

  @Test
  void check_runThatDoesNotEnd_violatesLiveness() {
    exitCode = -1;
    assertThat(violated()).containsExactly(Invariant.LIVENESS);
  }

  @Test
  void check_runThatEndsLate_violatesLiveness() {
    seconds = 61;
    assertThat(violated()).containsExactly(Invariant.LIVENESS);
  }

  @Test
  void check_successWithEventsUnread_violatesExitCode() {
    samples().put("received", 5).put("malformed", 0);
    assertThat(violated()).contains(Invariant.EXIT_CODE);
  }

  @Test
  void check_successWithoutReport_violatesExitCode() {
    assertThat(violated(null)).containsExactly(Invariant.EXIT_CODE);
  }

  @Test
  void check_lossesThatNothingShows_violateExitCode() {
    exitCode = 3;
    assertThat(violated()).as("one event was malformed").isEmpty();
    samples().put("malformed", 0);
    assertThat(violated()).contains(Invariant.EXIT_CODE);
  }

  @Test
  void check_errorWhereNoneIsDue_violatesExitCode() {
    exitCode = 1;
    message = "the job failed";
    assertThat(violated()).containsExactly(Invariant.EXIT_CODE);
    promise = promise.refusing();
    assertThat(violated()).isEmpty();
    message = "";
    assertThat(violated()).containsExactly(Invariant.EXIT_CODE);
  }

  @Test
  void check_rowSentTwice_isFound() {
    events.add(new Event("topic", 0, 7, "6,0.7,0.8,1", false));
    samples().put("received", 7).put("duplicates", 2);
    ((ObjectNode) faultFree.get("samples")).put("received", 7);
    assertThat(violated()).containsExactly(Invariant.SENT_ONCE);
  }

  @Test
  void check_rowNeverSentAndSuccess_isFound() {
    promise = promise.rows(List.of("1", "7"));
    assertThat(violated()).containsExactly(Invariant.SENT_ONCE);
  }

  @Test
  void check_filesOfOthersGone_isFound() {
    foreign.clear();
    assertThat(violated()).containsExactly(Invariant.FOREIGN_FILES);
  }

  @Test
  void check_openSocket_isFound() {
    sockets.add("tcp 00000000:1F91");
    assertThat(violated()).containsExactly(Invariant.SOCKETS);
  }
}
