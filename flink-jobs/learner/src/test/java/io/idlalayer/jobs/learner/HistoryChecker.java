package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the documents promise of a learner, checked against what an outsider sees of it: the events
 * that were sent, the decision topic, and the published versions. The promises:
 *
 * <ul>
 *   <li>every event is in exactly one class: the balance of {@code docs/report.md} holds whenever
 *       nothing trains, and at the end nothing is left
 *   <li>no content is trained as new more often than it was sent with a label, along any lineage
 *   <li>only who makes trainings fail is quarantined
 *   <li>a version's parent exists and is what it was trained from
 *   <li>no version follows one that knows more, unless it says that it begins a branch
 *   <li>nor does a branch, unless it begins from nothing or people have pinned a version: it has
 *       read as far as the version before
 * </ul>
 */
final class HistoryChecker {
  private static final int REMEMBERED = 25;

  /** The manifest's attribute that says that a version is not made from the one before it. */
  private static final String BRANCH = "branch";

  private final FakeModels models;
  private final boolean onlyCulpritsFail;
  private final boolean gated;
  private final boolean forgets;
  private boolean chosen;
  private final Map<Integer, Integer> labelled = new HashMap<>();
  private final Set<Integer> retracted = new HashSet<>();
  private final Set<Integer> culprits = new HashSet<>();
  private final Deque<String> told = new ArrayDeque<>();
  private final Set<Long> nothingWaited = new HashSet<>();
  private boolean ended;
  private int malformed;
  private int statuses;
  private int checked;
  private int afterRestore;
  private long noticed;
  private @Nullable DecisionEvent last;

  /**
   * @param onlyCulpritsFail whether a training fails only because of some of its samples
   * @param gated whether models may be refused, and older versions serve again
   * @param forgets whether what was learned is forgotten then
   */
  HistoryChecker(FakeModels models, boolean onlyCulpritsFail, boolean gated, boolean forgets) {
    this.forgets = forgets;
    this.models = models;
    this.onlyCulpritsFail = onlyCulpritsFail;
    this.gated = gated;
  }

  void malformedSent() {
    malformed++;
  }

  void sampleSent(int content, boolean withLabel, boolean culprit) {
    labelled.merge(content, withLabel ? 1 : 0, Integer::sum);
    if (culprit) {
      culprits.add(content);
    }
  }

  void retractionSent(int content) {
    retracted.add(content);
  }

  /** An end of the input was sent, before which everything is published. */
  void endSent() {
    ended = true;
  }

  /** The input ends now for good; FINISHED that was said before is about an earlier end. */
  void lastEndSent() {
    last = null;
  }

  /** A process has begun. */
  void started() {
    versions();
    nothingWaited.clear();
    afterRestore = models.versions.size();
  }

  /**
   * People let another version serve. If the next update continues it, and it is of a branch that a
   * restart has left, its samples may train once more.
   */
  void pinned() {
    chosen = forgets;
  }

  void failed(RuntimeException failure) {
    tell("FAILED: " + failure + cause(failure));
  }

  private static String cause(RuntimeException failure) {
    return failure.getCause() == null ? "" : " because of " + failure.getCause();
  }

  private void tell(String what) {
    told.addLast(what);
    if (told.size() > REMEMBERED) {
      told.removeFirst();
    }
  }

  int statuses() {
    return statuses;
  }

  boolean finished() {
    return last != null && last.type() == DecisionEvent.Type.FINISHED;
  }

  void noticed(ModelNotice notice) {
    if (gated && notice.version() < noticed) {
      require(
          models.pinnings.stream()
              .map(FakeModels.Pinning::after)
              .anyMatch(pin -> pin != null && pin.version() == notice.version()),
          "a notice of version " + notice.version() + " after " + noticed);
      return;
    }
    require(notice.version() > noticed, "version " + notice.version() + " after " + noticed);
    noticed = notice.version();
  }

  void said(DecisionEvent event) {
    versions();
    statuses++;
    Status status = event.status();
    if (event.type() == DecisionEvent.Type.STAGED && status.decision().pending() == 0) {
      nothingWaited.add(Objects.requireNonNull(event.update()).number());
    }
    if (event.type() != DecisionEvent.Type.STATUS) {
      last = event;
    }
    tell(
        "%s %s accounted %d of %d, waiting %d, training %s, update %s"
            .formatted(
                event.type(),
                event.message(),
                accounted(status),
                status.samples().received(),
                status.decision().pending(),
                status.training(),
                event.update() == null ? "-" : event.update().number()));
    boolean settled =
        event.type() == DecisionEvent.Type.STATUS
            || event.type() == DecisionEvent.Type.RESTORED
            || event.type() == DecisionEvent.Type.PUBLISHED
            || event.type() == DecisionEvent.Type.FINISHED;
    if (settled && !status.training()) {
      balances(status);
    }
  }

  private static long accounted(Status status) {
    return status.samples().accounted(status.trainedNewSamples());
  }

  private void balances(Status status) {
    require(
        accounted(status) + status.decision().pending() == status.samples().received(),
        "%d events are accounted for and %d wait, but %d were received"
            .formatted(
                accounted(status), status.decision().pending(), status.samples().received()));
    Status.Stages stages = status.stages();
    require(
        stages.newborn() + stages.mature() + stages.preserve() + stages.discard()
            == status.samples().stored(),
        "life stages do not add up to the stored samples");
  }

  /** Versions that were published since the last call. */
  private void versions() {
    for (; checked < models.versions.size(); checked++) {
      FakeModels.Version version = models.versions.get(checked);
      ModelManifest manifest = version.manifest();
      tell("version %d from %d".formatted(manifest.version(), manifest.parentVersion()));
      long trained = trained(version);
      require(
          forgets || version.lineage().size() == trained,
          "version %d says that it was trained on %d samples, and was on %d"
              .formatted(manifest.version(), trained, version.lineage().size()));
      continues(version, parent(manifest));
      if (checked > 0) {
        follows(version, models.versions.get(checked - 1));
      }
      if (!chosen) {
        once(version);
      }
    }
  }

  private static long trained(FakeModels.Version version) {
    return version.manifest().counts().get("trainedNewSamples");
  }

  private FakeModels.@Nullable Version parent(ModelManifest manifest) {
    if (manifest.parentVersion() == 0) {
      require(manifest.parentDigest().isEmpty(), "a first version names a parent");
      return null;
    }
    return models.versions.stream()
        .filter(other -> other.digest().equals(manifest.parentDigest()))
        .filter(other -> other.manifest().version() == manifest.parentVersion())
        .findFirst()
        .orElseThrow(
            () -> violation("the parent of version " + manifest.version() + " does not exist"));
  }

  private void continues(FakeModels.Version version, FakeModels.@Nullable Version parent) {
    List<Long> before = parent == null ? List.of() : parent.lineage();
    require(
        version.lineage().size() >= before.size()
            && version.lineage().subList(0, before.size()).equals(before),
        "version %d was not trained from its parent %d"
            .formatted(version.manifest().version(), version.manifest().parentVersion()));
    // What is forgotten may be learned again from where it was learned before.
    for (int i = forgets ? checked : afterRestore; i < checked; i++) {
      List<Long> between = models.versions.get(i).lineage();
      require(
          models.lost.contains(models.versions.get(i).number())
              || between.size() <= before.size()
              || between.size() >= version.lineage().size()
              || !version.lineage().subList(0, between.size()).equals(between),
          "version %d was trained from version %d and says from %d"
              .formatted(
                  version.manifest().version(),
                  models.versions.get(i).manifest().version(),
                  version.manifest().parentVersion()));
    }
  }

  private void follows(FakeModels.Version version, FakeModels.Version before) {
    ModelManifest manifest = version.manifest();
    require(manifest.version() > before.manifest().version(), "versions do not grow");
    if (manifest.attributes().containsKey(BRANCH)) {
      boolean ownLine = manifest.parentVersion() == 0 || gated || !models.pinnings.isEmpty();
      boolean learnedAll = ended || nothingWaited.contains(manifest.counts().get("updateNumber"));
      require(
          ownLine || learnedAll || trained(version) >= trained(before),
          "version %d knows %d samples, serves after %d with %d, and others waited"
              .formatted(version.number(), trained(version), before.number(), trained(before)));
      return;
    }
    require(
        manifest.parentVersion() == before.manifest().version(),
        "version %d follows %d, was made from %d and does not say that it is a branch"
            .formatted(manifest.version(), before.manifest().version(), manifest.parentVersion()));
    require(trained(version) >= trained(before), "a version knows less than the one before");
  }

  private void once(FakeModels.Version version) {
    Map<Long, Integer> counts = new HashMap<>();
    version.lineage().forEach(content -> counts.merge(content, 1, Integer::sum));
    counts.forEach(
        (content, count) ->
            require(
                count <= labelled.getOrDefault(content.intValue(), 0),
                "content %d was trained as new %d times by version %d"
                    .formatted(content, count, version.manifest().version())));
  }

  /**
   * The input has ended and FINISHED was said.
   *
   * @param accepted the model in state
   */
  void end(long dataEvents, @Nullable AcceptedModel accepted) {
    versions();
    DecisionEvent finished = last;
    require(finished != null && finished.message() != null, "nothing was said");
    Status status = finished.status();
    balances(status);
    require(status.decision().pending() == 0, "samples wait at the end");
    require(
        status.samples().received() == dataEvents,
        "%d of %d events were received".formatted(status.samples().received(), dataEvents));
    require(status.samples().malformed() == malformed, "malformed events are miscounted");
    List<Long> learned =
        accepted == null ? List.of() : FakeLineageTrainer.read(accepted.artifact());
    if (!gated) {
      FakeModels.Version current =
          models.versions.isEmpty() ? null : models.versions.get(models.versions.size() - 1);
      require(
          (current == null ? 0 : trained(current)) == status.trainedNewSamples(),
          "the version in service is not trained on what the status says");
      require(
          learned.equals(current == null ? List.of() : current.lineage()),
          "the version in service is not what was learned");
    }
    Set<Long> known = new HashSet<>(learned);
    Set<Integer> missing = new HashSet<>();
    labelled.forEach(
        (content, times) -> {
          boolean sure = times > 0 && !retracted.contains(content);
          if (sure && !known.contains(content.longValue())) {
            missing.add(content);
          }
        });
    if (forgets) {
      return;
    }
    require(missing.size() <= status.samples().quarantined(), missing + " were never trained");
    if (onlyCulpritsFail) {
      missing.removeAll(culprits);
      require(missing.isEmpty(), missing + " were not trained though they harm nobody");
    }
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw violation(otherwise);
    }
  }

  AssertionError violation(String what) {
    return violation(what, null);
  }

  AssertionError violation(String what, @Nullable Throwable cause) {
    return new AssertionError(what + "; before that:\n  " + String.join("\n  ", told), cause);
  }
}
