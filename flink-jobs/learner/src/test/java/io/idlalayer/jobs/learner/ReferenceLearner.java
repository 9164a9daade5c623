package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.ReferenceSample.Stage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the documents say becomes of events, written from <i>Life stages</i>, <i>Formats</i> and
 * <i>Weights</i> and from nothing else: each rule is a sentence there, and nothing is fast.
 */
final class ReferenceLearner {
  /** The counts of the balance, and those beside it. */
  record Counts(
      long received,
      long malformed,
      long unlabeled,
      long duplicates,
      long merged,
      long labelsGivenUp,
      long labelsWaiting,
      long pending,
      long quarantined,
      long trained,
      long passedOver,
      long changed,
      long joined,
      long revived,
      long stored,
      long evicted) {
    /** Events whose fate is known; those in a training are pending too. */
    long accounted() {
      return malformed
          + unlabeled
          + duplicates
          + merged
          + labelsGivenUp
          + labelsWaiting
          + pending
          + quarantined
          + trained;
    }
  }

  /** A labelled event, as it counts in base rates. */
  record Labelled(long offset, String id, double label, double weight) {}

  /** A dead letter of the learner. */
  record Refused(long offset, String what) {}

  private final ReferenceForm form;
  private final List<ReferenceSample> samples = new ArrayList<>();
  private final Map<String, Integer> arrivals = new HashMap<>();
  private final Map<Long, Integer> trainings = new TreeMap<>();
  private final List<Refused> refused = new ArrayList<>();
  private final List<Labelled> labelled = new ArrayList<>();

  private long made;
  private long received;
  private long malformed;
  private long unlabeled;
  private long duplicates;
  private long merged;
  private long labelsGivenUp;
  private long quarantined;
  private long trained;
  private long passedOver;
  private long changed;
  private long joined;
  private long revived;
  private long evicted;

  ReferenceLearner(ReferenceForm form) {
    this.form = form;
  }

  /** A copy, as a checkpoint is one. */
  ReferenceLearner copy() {
    ReferenceLearner copy = new ReferenceLearner(form);
    samples.forEach(each -> copy.samples.add(each.copy()));
    copy.arrivals.putAll(arrivals);
    copy.trainings.putAll(trainings);
    copy.refused.addAll(refused);
    copy.labelled.addAll(labelled);
    copy.made = made;
    copy.received = received;
    copy.malformed = malformed;
    copy.unlabeled = unlabeled;
    copy.duplicates = duplicates;
    copy.merged = merged;
    copy.labelsGivenUp = labelsGivenUp;
    copy.quarantined = quarantined;
    copy.trained = trained;
    copy.passedOver = passedOver;
    copy.changed = changed;
    copy.joined = joined;
    copy.revived = revived;
    copy.evicted = evicted;
    return copy;
  }

  List<ReferenceSample> samples() {
    return samples;
  }

  /** Number of samples that were stored so far. */
  long made() {
    return made;
  }

  /** How often each sample was trained as new, by its number. */
  Map<Long, Integer> trainings() {
    return trainings;
  }

  /** Dead letters in the order in which they were written. */
  List<Refused> refused() {
    return refused;
  }

  /** The labelled events in the order in which they were complete. */
  List<Labelled> labelled() {
    return labelled;
  }

  Counts counts() {
    return new Counts(
        received,
        malformed,
        unlabeled,
        duplicates,
        merged,
        labelsGivenUp,
        samples.stream().filter(each -> !each.whole()).count(),
        samples.stream().filter(ReferenceSample::pending).count(),
        quarantined,
        trained,
        passedOver,
        changed,
        joined,
        revived,
        samples.size(),
        evicted);
  }

  // ---- events ---------------------------------------------------------------------------------

  /** An event arrives. */
  void arrive(ReferenceEvent event, long offset, long nowMillis) {
    received++;
    if (event.broken() || (!event.hasAnyFeature() && !event.hasLabel())) {
      malformed++;
      return;
    }
    if (event.id().isEmpty() && lacksAlone(event)) {
      malformed++;
      return;
    }
    pass(nowMillis);
    ReferenceSample known = event.id().isEmpty() ? null : find(event.id());
    if (known == null) {
      first(event, offset, nowMillis);
    } else {
      meet(known, event, offset, nowMillis);
    }
  }

  /** Whether an event that no other one completes lacks what may not be missing. */
  private boolean lacksAlone(ReferenceEvent event) {
    boolean lacksWeight = event.hasLabel() && !event.hasWeight() && otherwise() == null;
    return !event.has("price") || lacksWeight;
  }

  private @Nullable ReferenceSample find(String id) {
    return samples.stream().filter(each -> each.id.equals(id)).findFirst().orElse(null);
  }

  /** The weight of an event that says none; null if it must say one. */
  private @Nullable Double otherwise() {
    if (!form.weighted()) {
      return 1.0;
    }
    return Double.isNaN(form.defaultWeight()) ? null : (Double) form.defaultWeight();
  }

  /** Nothing is stored of the event. */
  private void first(ReferenceEvent event, long offset, long nowMillis) {
    boolean label = !event.hasAnyFeature();
    ReferenceSample stored = new ReferenceSample(1 + newest(), event.id());
    take(stored, event);
    if (!label && lacks(stored)) {
      incomplete(offset);
      return;
    }
    makeSpace();
    made++;
    stored.sinceMillis = nowMillis;
    stored.labelOffset = offset;
    samples.add(stored);
    contentArrived(stored);
    if (label) {
      limitWaiting();
    } else if (event.hasLabel()) {
      complete(stored, offset);
    } else {
      unlabeled++;
      limitWaiting();
    }
  }

  private long newest() {
    return samples.stream().mapToLong(each -> each.number).max().orElse(0);
  }

  /** What a later event has prevails, and what it does not have stays. */
  private void take(ReferenceSample stored, ReferenceEvent event) {
    for (String name : List.of("price", "age", "site")) {
      if (event.has(name)) {
        stored.features.put(name, event.value(name));
      }
    }
    stored.label = event.hasLabel() ? (Double) event.labelValue() : stored.label;
    stored.weight = event.hasWeight() ? (Double) event.weightValue() : stored.weight;
    if (stored.whole() && stored.label != null && stored.weight == null) {
      stored.weight = otherwise();
    }
  }

  /** Whether a sample lacks a number, or with its label a weight, that may not be missing. */
  private static boolean lacks(ReferenceSample sample) {
    return !sample.whole() || (sample.label != null && sample.weight == null);
  }

  private void incomplete(long offset) {
    malformed++;
    refused.add(new Refused(offset, "missing, and no earlier event with its id has it"));
  }

  private void meet(ReferenceSample known, ReferenceEvent event, long offset, long nowMillis) {
    ReferenceSample next = known.copy();
    take(next, event);
    boolean adds = event.hasAnyFeature() && !known.whole();
    boolean replaces = false;
    if (known.whole()) {
      for (String name : List.of("price", "age", "site")) {
        boolean differs = event.has(name) && !event.value(name).equals(known.value(name));
        adds |= differs && !known.features.containsKey(name);
        replaces |= differs && known.features.containsKey(name);
      }
    }
    adds |= event.hasLabel() && known.label == null;
    replaces |= event.hasLabel() && known.label != null && event.labelValue() != known.label;
    adds |= event.hasWeight() && known.weight == null;
    replaces |= event.hasWeight() && known.weight != null && event.weightValue() != known.weight;
    if (!adds && !replaces) {
      duplicates++;
      return;
    }
    if ((event.hasAnyFeature() || next.whole()) && lacks(next)) {
      incomplete(offset);
      return;
    }
    boolean wasPending = known.pending();
    ReferenceSample before = known.copy();
    take(known, event);
    contentArrived(known);
    contentLeft(before.content());
    changed += replaces ? 1 : 0;
    known.trains = false;
    known.labelOffset = offset;
    if (known.lacksPart() || wasPending) {
      merged++;
      return;
    }
    if (!before.whole() && event.hasLabel()) {
      merged++;
    } else if (!before.whole()) {
      unlabeled++;
      joined++;
    } else if (before.label == null) {
      joined++;
    } else {
      revived++;
    }
    known.stage = Stage.WAITS;
    known.sinceMillis = nowMillis;
    known.frequency = 0;
    complete(known, offset);
  }

  /** A sample has all that it needs and waits for its training. It is tested before that. */
  private void complete(ReferenceSample sample, long offset) {
    labelled.add(
        new Labelled(
            offset,
            sample.id,
            Objects.requireNonNull(sample.label),
            Objects.requireNonNull(sample.weight)));
  }

  /** The frequency of a content is how often it has arrived while a sample of it was stored. */
  private void contentArrived(ReferenceSample sample) {
    arrivals.merge(sample.content(), 1, Integer::sum);
  }

  /** A content of which no sample is stored is forgotten. */
  private void contentLeft(String content) {
    if (samples.stream().noneMatch(each -> each.content().equals(content))) {
      arrivals.remove(content);
    }
  }

  /** The label of an event is taken back. */
  void retract(String id, long nowMillis) {
    ReferenceSample known = find(id);
    if (known == null || known.label == null) {
      return;
    }
    if (!known.whole()) {
      remove(known);
      unlabeled++;
      return;
    }
    unlabeled += known.pending() ? 1 : 0;
    String before = known.content();
    known.label = null;
    contentArrived(known);
    contentLeft(before);
    known.stage = Stage.WAITS;
    known.sinceMillis = nowMillis;
    known.frequency = 0;
    limitWaiting();
  }

  // ---- time and space -------------------------------------------------------------------------

  /** Time passes: labels whose events did not come are given up. */
  void pass(long nowMillis) {
    samples.stream()
        .filter(each -> !each.whole())
        .filter(each -> nowMillis - each.sinceMillis >= ReferenceForm.LABEL_WAIT_MILLIS)
        .sorted(Comparator.comparingLong(each -> each.number))
        .toList()
        .forEach(this::giveUp);
  }

  private void giveUp(ReferenceSample label) {
    labelsGivenUp++;
    refused.add(new Refused(label.labelOffset, "no event with the id '" + label.id + "' came for"));
    remove(label);
  }

  private void remove(ReferenceSample sample) {
    samples.remove(sample);
    contentLeft(sample.content());
  }

  private void leave(ReferenceSample sample) {
    if (sample.whole()) {
      remove(sample);
    } else {
      giveUp(sample);
    }
  }

  /** Removes those that waited longest of the samples without label and labels without features. */
  private void limitWaiting() {
    while (samples.stream().filter(ReferenceSample::lacksPart).count() > form.maxUnlabeled()) {
      ReferenceSample longest =
          samples.stream()
              .filter(ReferenceSample::lacksPart)
              .filter(each -> !each.trains)
              .min(
                  Comparator.comparingLong((ReferenceSample each) -> each.sinceMillis)
                      .thenComparingLong(each -> each.number))
              .orElse(null);
      if (longest == null) {
        return;
      }
      leave(longest);
    }
  }

  /**
   * A new sample does not fit: those leave that cannot train any more, then the oldest, and then
   * those that wait for a label.
   */
  private void makeSpace() {
    while (samples.size() >= form.maxSamples()) {
      ReferenceSample first =
          samples.stream()
              .filter(each -> !each.pending() && !each.trains)
              .min(
                  Comparator.comparingInt(ReferenceLearner::turn)
                      .thenComparingLong(each -> each.number))
              .orElseThrow();
      evicted++;
      leave(first);
    }
  }

  private static int turn(ReferenceSample sample) {
    if (sample.lacksPart()) {
      return 2;
    }
    return sample.stage == Stage.TRAINED ? 1 : 0;
  }

  // ---- updates --------------------------------------------------------------------------------

  /**
   * An update begins with all samples that wait.
   *
   * @return what it trains on, by the numbers of the samples
   */
  Map<Long, ReferenceSample> begin() {
    samples.stream().filter(ReferenceSample::pending).toList().forEach(each -> each.trains = true);
    return inTraining();
  }

  /** Copies of the samples that train as new, by their numbers. */
  Map<Long, ReferenceSample> inTraining() {
    Map<Long, ReferenceSample> all = new TreeMap<>();
    samples.stream().filter(each -> each.trains).forEach(each -> all.put(each.number, each.copy()));
    return all;
  }

  /**
   * The update is accepted. What was corrected meanwhile waits for another one.
   *
   * @param began what it began with
   * @param kept numbers of the samples without weight that it trained all the same
   * @param replayed numbers of the samples that it trained again
   */
  void accept(Map<Long, ReferenceSample> began, Set<Long> kept, Set<Long> replayed) {
    for (ReferenceSample sample : samples) {
      if (replayed.contains(sample.number) && sample.stage == Stage.TRAINED) {
        sample.frequency = arrivals.getOrDefault(sample.content(), 0);
      }
    }
    for (Map.Entry<Long, ReferenceSample> each : began.entrySet()) {
      boolean passes = each.getValue().weightless() && !kept.contains(each.getKey());
      ReferenceSample sample =
          samples.stream().filter(one -> one.number == each.getKey()).findFirst().orElse(null);
      if (sample != null && sample.trains && sample.label != null) {
        evaluate(sample, sample.culprit() ? Stage.QUARANTINED : stage(sample));
      }
      if (sample != null && sample.stage == Stage.QUARANTINED) {
        quarantined++;
      } else {
        trained++;
        passedOver += passes ? 1 : 0;
        if (!passes) {
          trainings.merge(each.getKey(), 1, Integer::sum);
        }
      }
      if (sample != null) {
        sample.trains = false;
      }
    }
    limitWaiting();
  }

  /** A sample without weight is neither evaluated nor trained again, even if it was trained. */
  private static Stage stage(ReferenceSample sample) {
    return sample.weightless() ? Stage.PASSED_OVER : Stage.TRAINED;
  }

  private void evaluate(ReferenceSample sample, Stage stage) {
    sample.stage = stage;
    sample.frequency = stage == Stage.TRAINED ? arrivals.getOrDefault(sample.content(), 0) : 0;
  }

  /**
   * A restart interrupts the update, which begins again with what was not touched meanwhile. The
   * others were never trained with what they were.
   *
   * @param began numbers of the samples that it began with
   * @return what it begins with again
   */
  Map<Long, ReferenceSample> interrupt(Set<Long> began) {
    for (long number : began) {
      boolean untouched =
          samples.stream()
              .anyMatch(each -> each.number == number && each.trains && each.label != null);
      unlabeled += untouched ? 0 : 1;
    }
    samples.forEach(each -> each.trains &= each.label != null);
    limitWaiting();
    return inTraining();
  }
}
