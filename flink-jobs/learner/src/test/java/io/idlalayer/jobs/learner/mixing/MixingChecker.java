package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.jobs.mixing.CandidateVerdict;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixRound;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the documents promise of a mixed model, kept beside a {@link MixingHistory} without any of
 * the product's arithmetic: each event of the newest lineage is in the model once, with the share
 * of the round that has taken it; a shared row has it with the share of all uses of the row; a
 * learner's model is the version that it has adopted and what it has trained since its
 * contribution; what is served never knows less than before.
 */
final class MixingChecker {
  private static final double ROUNDING = 1e-4;

  private final int partitions;
  private final int events;

  /** The events that the newest model of each learner was trained on, without given-up ones. */
  private Map<Integer, Set<Integer>> lineages = new HashMap<>();

  /** What each learner had when its part of the last checkpoint was taken. */
  private final Map<Integer, Set<Integer>> saved = new HashMap<>();

  private final Map<Integer, Set<Integer>> savedGivenUp = new HashMap<>();

  /** Events whose training was given up when their learner joined. */
  private Map<Integer, Set<Integer>> givenUp = new HashMap<>();

  /** The events of each contribution's lineage. Contributions outlast failures. */
  private final Map<String, Set<Integer>> contributions = new HashMap<>();

  /** The share with which the mixed model contains each event. */
  private double[] shares;

  /** The share with which the shared row of each event contains it. */
  private double[] rowShares;

  /** The rows that every partition uses, as they begin; null if there are none. */
  private final @Nullable SharedRows begun;

  /** The events of each learner that the mixed model contains. */
  private Map<Integer, Set<Integer>> contained = new HashMap<>();

  /** The parameters that each version should have, and what it contains of each learner. */
  private final Map<String, double[]> versions = new HashMap<>();

  private final Map<String, Map<Integer, Set<Integer>>> containedBy = new HashMap<>();

  /** The models that were stored as versions, each with the contributions that it contains. */
  private final Set<String> stored = new HashSet<>();

  /** Whether a model passed, by what it was compared with. Outlasts failures. */
  private final Map<String, Boolean> verdicts = new HashMap<>();

  /** For each tested model, by its parameters, whether it passed when it was tested last. */
  private final Map<String, Boolean> passed = new HashMap<>();

  private int beginner = -1;
  private @Nullable MixedVersion served;

  /** What was true at a checkpoint. */
  record Mark(
      Map<Integer, Set<Integer>> lineages,
      Map<Integer, Set<Integer>> givenUp,
      double[] shares,
      double[] rowShares,
      Map<Integer, Set<Integer>> contained,
      int beginner) {}

  /**
   * @param begun one table of rows that every partition uses, as it begins; null for none. Each
   *     event adds 1 to one weight of one row, see {@link #row}.
   */
  MixingChecker(int partitions, int events, @Nullable SharedRows begun) {
    this.partitions = partitions;
    this.events = events;
    this.begun = begun;
    shares = new double[partitions * events];
    rowShares = new double[partitions * events];
    for (int p = 0; p < partitions; p++) {
      lineages.put(p, new LinkedHashSet<>());
      givenUp.put(p, new LinkedHashSet<>());
      contained.put(p, new LinkedHashSet<>());
    }
  }

  /** The parameters of a new network, which differ from learner to learner in the last one. */
  float[] beginning(int partition) {
    float[] parameters = new float[partitions * events + 1];
    parameters[partitions * events] = 100 * (partition + 1);
    return parameters;
  }

  int index(int partition, int event) {
    return partition * events + event;
  }

  /** Returns the number of parameters of a network. */
  int parameters() {
    return partitions * events + 1;
  }

  /** Returns the shared row that an event uses; it changes the weight with the event's index. */
  int row(int event) {
    return begun == null ? 0 : event * 7 % begun.marks().length;
  }

  /** Returns the shared rows that the events in the mixed model have used. */
  Set<Integer> usedRows() {
    Set<Integer> used = new HashSet<>();
    for (int event = 0; event < shares.length; event++) {
      if (shares[event] > 0) {
        used.add(row(event));
      }
    }
    return used;
  }

  void trained(int partition, int event) {
    assertThat(lineages.get(partition).add(index(partition, event)))
        .as("event %d of partition %d is trained once", event, partition)
        .isTrue();
  }

  void contributed(int partition, String digest) {
    contributions.put(digest, new LinkedHashSet<>(lineages.get(partition)));
  }

  /** A round was mixed, in the lineage that goes on. */
  void mixed(MixRound round, float[] parameters) {
    double rows = 0;
    Map<Integer, Set<Integer>> fresh = new HashMap<>();
    for (MixRound.Taken each : round.taken()) {
      int partition = each.record().partition();
      Set<Integer> now = new LinkedHashSet<>(contributions.get(each.record().digest()));
      now.removeAll(contained.get(partition));
      fresh.put(partition, now);
      rows += now.size();
    }
    boolean first = beginner < 0;
    for (MixRound.Taken each : round.taken()) {
      int partition = each.record().partition();
      for (int event : fresh.get(partition)) {
        assertThat(shares[event]).as("event %d is mixed once", event).isZero();
        shares[event] = first ? 1 : fresh.get(partition).size() / rows;
        rowShares[event] =
            first ? 1 : (double) using(fresh.get(partition), event) / usingAny(fresh, event);
      }
      contained.get(partition).addAll(contributions.get(each.record().digest()));
      if (first) {
        beginner = partition;
      }
    }
    assertModel(expected(), parameters, "round " + round.number());
  }

  /** Returns how many of some events use the row of an event. */
  private long using(Set<Integer> some, int event) {
    return some.stream().filter(each -> row(each) == row(event)).count();
  }

  private long usingAny(Map<Integer, Set<Integer>> fresh, int event) {
    return fresh.values().stream().mapToLong(some -> using(some, event)).sum();
  }

  private double[] expected() {
    float[] rows = begun == null ? new float[0] : begun.values();
    double[] expected = new double[parameters() + rows.length];
    System.arraycopy(shares, 0, expected, 0, shares.length);
    expected[shares.length] = 100.0 * (beginner + 1);
    for (int i = 0; i < rows.length; i++) {
      expected[parameters() + i] = rows[i];
    }
    for (int event = 0; event < shares.length && begun != null; event++) {
      expected[weight(event)] += rowShares[event];
    }
    return expected;
  }

  /** Returns the index, after the parameters, of the weight that an event changes. */
  private int weight(int event) {
    return parameters() + row(event) * begun.tables().get(0).weights() + event;
  }

  private static void assertModel(double[] expected, float[] found, String what) {
    for (int i = 0; i < expected.length; i++) {
      assertThat((double) found[i])
          .as("parameter %d of %s", i, what)
          .isCloseTo(expected[i], within(ROUNDING));
    }
  }

  /** A version is published; before it is current. */
  void published(ModelManifest manifest) {
    MixedVersion next = MixedVersion.of(manifest).orElseThrow();
    MixedVersion before = served;
    if (before != null) {
      for (Contributor each : before.contributors()) {
        assertThat(next.of(each.partition()).orElseThrow().trained())
            .as("samples of partition %d in version %d", each.partition(), manifest.version())
            .isGreaterThanOrEqualTo(each.trained());
      }
    }
    served = next;
  }

  /**
   * A model and its baseline.
   *
   * @param contents what their files contain, and which contributions have their rows
   */
  record Pair(float[] model, float[] baseline, String contents) {
    String key() {
      return Arrays.toString(model) + Arrays.toString(baseline) + contents;
    }
  }

  /**
   * A model is stored for learners to compare.
   *
   * @param contained the contributions that the mixer says its baseline contains
   */
  void offered(Pair pair, SortedMap<Integer, String> contained) {
    assertThat(stored)
        .as("the baseline with its contributions")
        .contains(Arrays.toString(pair.baseline()) + contained);
    assertThat(verdicts).as("verdicts on a model that is compared").doesNotContainKey(pair.key());
  }

  /** A version is stored, whether it serves or not. */
  void stored(float[] parameters, List<Contributor> names) {
    SortedMap<Integer, String> contains = new TreeMap<>();
    names.stream()
        .filter(each -> !each.digest().isEmpty())
        .forEach(each -> contains.put(each.partition(), each.digest()));
    stored.add(Arrays.toString(parameters) + contains);
  }

  /** A verdict on a model is stored. */
  void judged(Pair pair, CandidateVerdict verdict, CandidateTruth truth) {
    Boolean before = verdicts.putIfAbsent(pair.key(), verdict.passes());
    assertThat(before == null ? verdict.passes() : before)
        .as("the same model gets the same verdict")
        .isEqualTo(verdict.passes());
    boolean worse = truth.flaws(pair.model()) > truth.flaws(pair.baseline());
    switch (verdict.outcome()) {
      case WORSE -> assertThat(worse).as("a refused model is worse").isTrue();
      case GOOD -> assertThat(worse).as("a model that is called good is worse").isFalse();
      case UNDECIDED -> {}
    }
  }

  /** A verdict on a model is carried out. */
  void carriedOut(Pair pair, boolean passes) {
    assertThat(verdicts.get(pair.key()))
        .as("the verdict that is carried out is the stored one")
        .isEqualTo(passes);
    passed.put(Arrays.toString(pair.model()), passes);
  }

  /** A version is stored, whether it serves or not. */
  void version(String version, float[] parameters) {
    assertThat(passed.getOrDefault(Arrays.toString(parameters), true))
        .as("version %s was not refused", version)
        .isTrue();
    versions.put(version, expected());
    Map<Integer, Set<Integer>> copy = new HashMap<>();
    contained.forEach((partition, set) -> copy.put(partition, new LinkedHashSet<>(set)));
    containedBy.put(version, copy);
  }

  /** A learner has adopted a version. */
  void adopted(int partition, String version, boolean joined, float[] parameters) {
    if (joined) {
      givenUp.get(partition).addAll(lineages.get(partition));
      lineages.put(partition, new LinkedHashSet<>());
    }
    double[] expected = versions.get(version).clone();
    for (int event : lineages.get(partition)) {
      if (!containedBy.get(version).get(partition).contains(event)) {
        expected[event] += 1;
        if (begun != null) {
          expected[weight(event)] += 1;
        }
      }
    }
    assertModel(expected, parameters, "learner " + partition + " with version " + version);
  }

  void learnerSaved(int partition) {
    saved.put(partition, new LinkedHashSet<>(lineages.get(partition)));
    savedGivenUp.put(partition, new LinkedHashSet<>(givenUp.get(partition)));
  }

  Mark mark(Set<Integer> of) {
    assertThat(of).hasSize(partitions);
    return new Mark(
        deep(saved),
        deep(savedGivenUp),
        shares.clone(),
        rowShares.clone(),
        deep(contained),
        beginner);
  }

  private static Map<Integer, Set<Integer>> deep(Map<Integer, Set<Integer>> sets) {
    Map<Integer, Set<Integer>> copy = new HashMap<>();
    sets.forEach((key, set) -> copy.put(key, new LinkedHashSet<>(set)));
    return copy;
  }

  /**
   * The job goes on from a checkpoint.
   *
   * @param mark null if it begins anew
   */
  void restored(@Nullable Mark mark) {
    if (mark == null) {
      shares = new double[shares.length];
      rowShares = new double[shares.length];
      beginner = -1;
      for (int p = 0; p < partitions; p++) {
        lineages.put(p, new LinkedHashSet<>());
        givenUp.put(p, new LinkedHashSet<>());
        contained.put(p, new LinkedHashSet<>());
      }
      // A start from nothing may serve less; that is asked for.
      served = null;
      return;
    }
    lineages = deep(mark.lineages());
    givenUp = deep(mark.givenUp());
    shares = mark.shares().clone();
    rowShares = mark.rowShares().clone();
    contained = deep(mark.contained());
    beginner = mark.beginner();
  }

  /** Everything rests: the model contains each event once. */
  void ended(float[] mixed) {
    assertModel(expected(), mixed, "the last model");
    for (int p = 0; p < partitions; p++) {
      for (int event = 0; event < events; event++) {
        int index = index(p, event);
        boolean lost = givenUp.get(p).contains(index);
        assertThat(shares[index] > 0)
            .as("event %d of partition %d is in the last model", event, p)
            .isEqualTo(!lost);
      }
    }
  }
}
