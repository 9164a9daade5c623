package io.idlalayer.jobs.learner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the documents say becomes of events, written from <i>Life stages</i> and <i>Formats</i> and
 * from nothing else: each rule is a sentence there, and nothing is fast.
 */
final class ReferenceLearner {
  /** What is stored of an event. */
  static final class Stored {
    final long number;
    final String id;
    final Map<String, String> features = new TreeMap<>();
    @Nullable String label;
    Stage stage = Stage.WAITS;
    boolean trains;
    long sinceMillis;

    /** How often its content had arrived when it was evaluated last; 0 before that. */
    int frequency;

    Stored(long number, String id) {
      this.number = number;
      this.id = id;
    }

    boolean whole() {
      return features.containsKey("price");
    }

    /** Whether it waits for its training, or for a label or the features before that. */
    boolean pending() {
      return whole() && label != null && stage == Stage.WAITS && !trains;
    }

    /** Missing ages are zeros, so an age of 0 says nothing that a missing one does not. */
    String value(String name) {
      return features.getOrDefault(name, name.equals("age") ? "0" : "");
    }

    /** Features and label, without the id. */
    String content() {
      return whole()
          ? String.join("/", value("price"), value("age"), value("site"), "" + label)
          : "label " + label;
    }

    private Stored copy() {
      Stored copy = new Stored(number, id);
      copy.features.putAll(features);
      copy.label = label;
      copy.stage = stage;
      copy.trains = trains;
      copy.sinceMillis = sinceMillis;
      copy.frequency = frequency;
      return copy;
    }
  }

  /** The life stages, as far as counts depend on them. */
  enum Stage {
    WAITS,
    TRAINED,
    QUARANTINED
  }

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
      long changed,
      long joined,
      long revived,
      long stored,
      long evicted) {
    /** Events whose fate is known; in a training is pending too. */
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

  private final long labelWaitMillis;
  private final int maxUnlabeled;
  private final int maxSamples;

  private final List<Stored> samples = new ArrayList<>();
  private final Map<String, Integer> arrivals = new HashMap<>();
  private final Map<Long, Integer> trainings = new TreeMap<>();
  private final List<Long> givenUpRecords = new ArrayList<>();
  private final Map<Long, Long> labelRecords = new LinkedHashMap<>();

  private long next = 1;
  private long received;
  private long malformed;
  private long unlabeled;
  private long duplicates;
  private long merged;
  private long labelsGivenUp;
  private long quarantined;
  private long trained;
  private long changed;
  private long joined;
  private long revived;
  private long evicted;

  ReferenceLearner(long labelWaitMillis, int maxUnlabeled, int maxSamples) {
    this.labelWaitMillis = labelWaitMillis;
    this.maxUnlabeled = maxUnlabeled;
    this.maxSamples = maxSamples;
  }

  /** A copy, as a checkpoint is one. */
  ReferenceLearner copy() {
    ReferenceLearner copy = new ReferenceLearner(labelWaitMillis, maxUnlabeled, maxSamples);
    samples.forEach(each -> copy.samples.add(each.copy()));
    copy.arrivals.putAll(arrivals);
    copy.trainings.putAll(trainings);
    copy.givenUpRecords.addAll(givenUpRecords);
    copy.labelRecords.putAll(labelRecords);
    copy.next = next;
    copy.received = received;
    copy.malformed = malformed;
    copy.unlabeled = unlabeled;
    copy.duplicates = duplicates;
    copy.merged = merged;
    copy.labelsGivenUp = labelsGivenUp;
    copy.quarantined = quarantined;
    copy.trained = trained;
    copy.changed = changed;
    copy.joined = joined;
    copy.revived = revived;
    copy.evicted = evicted;
    return copy;
  }

  List<Stored> samples() {
    return samples;
  }

  /** How often the content of a stored sample has arrived while a sample of it was stored. */
  int arrivals(String content) {
    return arrivals.getOrDefault(content, 0);
  }

  /** How often each sample was trained as new, by its number. */
  Map<Long, Integer> trainings() {
    return trainings;
  }

  /** Offsets of the labels that were given up, in the order in which that happened. */
  List<Long> givenUpRecords() {
    return givenUpRecords;
  }

  Counts counts() {
    long waiting = samples.stream().filter(each -> !each.whole()).count();
    long pending = samples.stream().filter(Stored::pending).count();
    return new Counts(
        received,
        malformed,
        unlabeled,
        duplicates,
        merged,
        labelsGivenUp,
        waiting,
        pending,
        quarantined,
        trained,
        changed,
        joined,
        revived,
        samples.size(),
        evicted);
  }

  /** An event arrives. */
  void arrive(ReferenceEvent event, long offset, long nowMillis) {
    received++;
    pass(nowMillis);
    boolean says = !event.features().isEmpty() || event.label() != null;
    if (event.broken() || !says) {
      malformed++;
      return;
    }
    Stored known =
        samples.stream()
            .filter(each -> !event.id().isEmpty() && each.id.equals(event.id()))
            .findFirst()
            .orElse(null);
    if (known == null) {
      first(event, offset, nowMillis);
    } else {
      meet(known, event, offset, nowMillis);
    }
  }

  /** Nothing is stored of the event. */
  private void first(ReferenceEvent event, long offset, long nowMillis) {
    boolean label = event.features().isEmpty() && !event.id().isEmpty();
    if (!label && !event.features().containsKey("price")) {
      malformed++;
      return;
    }
    makeSpace();
    Stored stored = new Stored(next++, event.id());
    stored.features.putAll(event.features());
    stored.label = event.label();
    stored.sinceMillis = nowMillis;
    samples.add(stored);
    contentArrived(stored);
    if (label) {
      labelRecords.put(stored.number, offset);
    } else if (event.label() == null) {
      unlabeled++;
    }
    limitUnlabeled();
  }

  private void meet(Stored known, ReferenceEvent event, long offset, long nowMillis) {
    boolean adds = false;
    boolean replaces = false;
    if (event.label() != null && !event.label().equals(known.label)) {
      adds = known.label == null;
      replaces = known.label != null;
    }
    for (Map.Entry<String, String> each : event.features().entrySet()) {
      if (!known.whole()) {
        adds = true;
      } else if (!each.getValue().equals(known.value(each.getKey()))) {
        boolean had = known.features.containsKey(each.getKey());
        adds |= !had;
        replaces |= had;
      }
    }
    if (!adds && !replaces) {
      duplicates++;
      return;
    }
    boolean whole = known.whole() || event.features().containsKey("price");
    if (!event.features().isEmpty() && !whole) {
      malformed++;
      return;
    }
    boolean wasWhole = known.whole();
    boolean wasLabelled = known.label != null;
    boolean wasPending = known.pending();
    String contentBefore = known.content();
    known.features.putAll(event.features());
    known.label = event.label() == null ? known.label : event.label();
    contentArrived(known);
    contentLeft(contentBefore);
    changed += replaces ? 1 : 0;
    known.trains = false;
    if (!wasWhole && !known.whole()) {
      labelRecords.put(known.number, offset);
    }
    if (!known.whole() || known.label == null || wasPending) {
      merged++;
      return;
    }
    if (!wasWhole && event.label() != null) {
      merged++;
    } else if (!wasWhole) {
      unlabeled++;
      joined++;
    } else if (!wasLabelled) {
      joined++;
    } else {
      revived++;
    }
    known.stage = Stage.WAITS;
    known.sinceMillis = nowMillis;
    known.frequency = 0;
  }

  private void contentArrived(Stored sample) {
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
    Stored known = samples.stream().filter(each -> each.id.equals(id)).findFirst().orElse(null);
    if (known == null || known.label == null) {
      return;
    }
    if (!known.whole()) {
      remove(known);
      unlabeled++;
      return;
    }
    unlabeled += known.pending() ? 1 : 0;
    String contentBefore = known.content();
    known.label = null;
    contentArrived(known);
    contentLeft(contentBefore);
    known.stage = Stage.WAITS;
    known.sinceMillis = nowMillis;
    known.frequency = 0;
    limitUnlabeled();
  }

  /** Time passes: labels whose events did not come are given up. */
  void pass(long nowMillis) {
    samples.stream()
        .filter(each -> !each.whole() && nowMillis - each.sinceMillis >= labelWaitMillis)
        .sorted(Comparator.comparingLong(each -> each.number))
        .toList()
        .forEach(this::giveUp);
  }

  private void giveUp(Stored label) {
    labelsGivenUp++;
    givenUpRecords.add(Objects.requireNonNull(labelRecords.get(label.number)));
    remove(label);
  }

  private void remove(Stored sample) {
    samples.remove(sample);
    contentLeft(sample.content());
  }

  /** Removes those that waited longest of the samples without label and labels without features. */
  private void limitUnlabeled() {
    while (true) {
      List<Stored> waiting =
          samples.stream().filter(each -> !each.whole() || each.label == null).toList();
      Stored oldest =
          waiting.stream()
              .filter(each -> !each.trains)
              .min(
                  Comparator.comparingLong((Stored each) -> each.sinceMillis)
                      .thenComparingLong(each -> each.number))
              .orElse(null);
      if (waiting.size() <= maxUnlabeled || oldest == null) {
        return;
      }
      if (oldest.whole()) {
        remove(oldest);
      } else {
        giveUp(oldest);
      }
    }
  }

  /**
   * A new sample does not fit: those leave that cannot train any more, then the oldest, and then
   * those that wait for a label.
   */
  private void makeSpace() {
    while (samples.size() >= maxSamples) {
      Stored leaves =
          samples.stream()
              .filter(each -> !each.pending() && !each.trains)
              .min(
                  Comparator.comparingInt(ReferenceLearner::turn)
                      .thenComparingLong(each -> each.number))
              .orElseThrow();
      evicted++;
      if (leaves.whole()) {
        remove(leaves);
      } else {
        giveUp(leaves);
      }
    }
  }

  private static int turn(Stored sample) {
    boolean waits = !sample.whole() || sample.label == null;
    return waits ? 2 : sample.stage == Stage.QUARANTINED ? 0 : 1;
  }

  /** An update begins with all samples that wait. */
  void begin() {
    samples.stream().filter(Stored::pending).toList().forEach(each -> each.trains = true);
  }

  /**
   * The update is accepted. What was corrected meanwhile waits for another one.
   *
   * @param began numbers of the samples that it began with
   */
  void accept(List<Long> began) {
    for (long number : began) {
      Stored sample =
          samples.stream().filter(each -> each.number == number).findFirst().orElse(null);
      boolean untouched = sample != null && sample.trains && sample.label != null;
      if (untouched && sample.value("price").equals(ReferenceEvent.CULPRIT)) {
        quarantined++;
        sample.stage = Stage.QUARANTINED;
      } else {
        trained++;
        trainings.merge(number, 1, Integer::sum);
        if (untouched) {
          sample.stage = Stage.TRAINED;
          sample.frequency = arrivals(sample.content());
        }
      }
      if (sample != null) {
        sample.trains = false;
      }
    }
    limitUnlabeled();
  }

  /**
   * A restart interrupts the update, which begins again with what was not touched meanwhile. The
   * others were never trained with what they were.
   *
   * @param began numbers of the samples that it began with
   * @return numbers of the samples that it begins with again
   */
  List<Long> interrupt(List<Long> began) {
    List<Long> again = new ArrayList<>();
    for (long number : began) {
      boolean untouched =
          samples.stream()
              .anyMatch(each -> each.number == number && each.trains && each.label != null);
      if (untouched) {
        again.add(number);
      } else {
        unlabeled++;
      }
    }
    samples.forEach(each -> each.trains &= again.contains(each.number));
    limitUnlabeled();
    return again;
  }

  /** Numbers of the samples that train. */
  List<Long> inTraining() {
    return samples.stream().filter(each -> each.trains).map(each -> each.number).toList();
  }
}
