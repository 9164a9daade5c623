package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.MixingStatus;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.mixing.MixingCycle.State;
import io.idlalayer.jobs.learner.mixing.MixingCycle.Transition;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.Finding;
import io.idlalayer.jobs.mixing.CandidateVerdict;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.mixing.MixingRecord;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.mixing.ModelMix;
import io.idlalayer.modelcontroller.mixing.NetworkFile;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A learner's share in a model that the partitions of an application learn together. This class
 * reports the learner's contributions to the mixer, and adopts the mixed versions. After an
 * adoption, the learner keeps what it has learned since its contribution; everything else comes
 * from the mixed version. {@link MixingCycle} has the state.
 *
 * <p>A learner adopts a version only if the version names its incarnation, a random name that the
 * learner got at its start. So a learner can never adopt a version that an earlier attempt of the
 * job made from samples that this attempt trains again.
 *
 * <p>The operator's thread calls all methods whose description does not say otherwise.
 */
public final class MixedLearning implements AutoCloseable {
  /**
   * Least time in milliseconds for which a contribution is open before the learner continues alone.
   */
  static final long LEAST_OPEN_MILLIS = 10_000;

  private static final long WAITS = 4;

  /**
   * Largest number of rounds that are compared one after the other before a version contains a
   * contribution.
   */
  private static final long GATED_ROUNDS = 2;

  /**
   * Largest number of arrivals that are remembered until a version contains them. If there are
   * more, the last ones are remembered.
   */
  private static final int MOST_ARRIVALS = 1 << 20;

  /**
   * Number of checkpoints for which contributions are kept, because some of the checkpoints can
   * fail later.
   */
  private static final int CHECKPOINTS = 10;

  /**
   * The mixer needs two contributions: the last one, and the previous one if it is in a round that
   * was fired.
   */
  private static final int HELD_BY_MIXER = 2;

  private final LearnerKey key;
  private final String incarnation;
  private final Consumer<MixingMessage> mixer;
  private final @Nullable GateShare gate;
  private final @Nullable SharedTables shared;
  private final long gateMillis;
  private final MixedWatch watch;
  private final MixingCycle cycle = new MixingCycle();
  private final AdoptedVersions versions;
  private final Deque<Set<Long>> atCheckpoints = new ArrayDeque<>();
  private final Deque<Long> newest = new ArrayDeque<>();

  private volatile MixedBase base = MixedBase.NONE;
  private volatile Set<Long> needed = Set.of();
  private MixedWatch.@Nullable Found found;
  private @Nullable UpdateRecord open;
  private long[] openArrivals = {};
  private long openUntilMillis;
  private long waitMillis;

  /**
   * @param looks runs tasks that read {@code models}
   * @param mixer receives the learner's messages to the mixer
   * @param comparing the parts that are needed to compare mixed models before they are published
   * @param shared tables that every partition uses; null if there are none
   */
  public MixedLearning(
      LearnerKey key,
      MixedModels models,
      Executor looks,
      Consumer<MixingMessage> mixer,
      GateShare.Parts comparing,
      @Nullable SharedTables shared) {
    this.key = key;
    this.mixer = mixer;
    this.shared = shared;
    versions = new AdoptedVersions(key.partition());
    incarnation = models.incarnation();
    watch = new MixedWatch(key, models, incarnation, looks);
    gate =
        comparing.holds() ? new GateShare(key, models, incarnation, looks, comparing, mixer) : null;
    gateMillis = comparing.waitMillis();
  }

  /** Takes a labelled sample that has just arrived. */
  public void arrived(Sample sample) {
    if (gate != null) {
      gate.arrived(sample);
    }
  }

  /**
   * The progress of a learner.
   *
   * @param trained number of new samples that the learner has trained
   * @param offsets next input offsets
   * @param idle whether no sample of the learner waits for training
   */
  public record Progress(long trained, SortedMap<String, Long> offsets, boolean idle) {}

  /** Returns whether mixed models are compared before they are published. */
  public boolean compares() {
    return gate != null;
  }

  /** Returns the updates whose rows can be needed to compare mixed models. */
  public Set<Long> comparedUpdates() {
    return gate == null ? Set.of() : gate.neededUpdates();
  }

  /** Tells the mixer that the learner has started. */
  public void start(Progress progress, long nowMillis) {
    if (cycle.state() == State.OPEN) {
      openUntilMillis = nowMillis + limitMillis();
    }
    mixer.accept(record(true, progress));
  }

  private MixingRecord record(boolean hello, Progress progress) {
    MixedBase now = base;
    return new MixingRecord(
        key.application(),
        key.partition(),
        hello,
        incarnation,
        now.round(),
        now.version(),
        now.digest(),
        Math.max(0, progress.trained() - now.givenUp()),
        progress.trained(),
        progress.offsets(),
        progress.idle());
  }

  private long limitMillis() {
    // The mixed model before the model with the contribution can be compared too.
    return Math.max(LEAST_OPEN_MILLIS, WAITS * waitMillis) + GATED_ROUNDS * gateMillis;
  }

  /** Returns the model that the first training continues; null if it begins with a new network. */
  public @Nullable ModelArtifact first() {
    return base.start();
  }

  /**
   * Returns whether the learner has adopted no version, so that it can still join with a version.
   */
  public boolean alone() {
    return base.round() == 0;
  }

  /**
   * Returns whether the learner has given up its own model when it joined, and has contributed
   * nothing since then. The rows of its table stay, and no version contains them yet.
   */
  public boolean owesRows() {
    MixedBase now = base;
    return now.round() > 0 && now.givenUp() > 0 && now.digest().isEmpty();
  }

  /** Returns whether no contribution waits for a version that contains it. */
  public boolean settled() {
    return cycle.state() != State.OPEN;
  }

  /**
   * Returns the time until which no other contribution is due, unless a version is adopted earlier.
   */
  public long openUntilMillis() {
    return openUntilMillis;
  }

  /**
   * Records that a model was trained.
   *
   * @param model the model
   * @param before the previous accepted model; null if there is none
   * @param rows the rows of the training, which are already in the tables; null without tables
   * @return the model, with the rows that every partition uses
   */
  public AcceptedModel trained(
      AcceptedModel model, @Nullable AcceptedModel before, @Nullable RowBatch rows) {
    SharedTables tables = shared;
    AcceptedModel whole = model;
    if (tables != null && rows != null) {
      ModelArtifact base = before == null ? first() : before.artifact();
      whole = model.with(tables.trained(model.artifact(), base, rows));
    }
    trained();
    return whole;
  }

  /** Records that a model was trained. If it was the first, the mixed model was its base. */
  void trained() {
    if (base.start() != null) {
      base = base.trained();
    }
  }

  /**
   * Records that a model is stored as a contribution, and tells the mixer.
   *
   * @param arrivedAtMillis arrival times of the new samples on which the model was trained
   */
  public void contributed(
      AcceptedModel model,
      ModelCheckpoint stored,
      long[] arrivedAtMillis,
      Progress progress,
      long nowMillis) {
    long version = stored.manifest().version();
    if (cycle.state() == State.OPEN) {
      // At the end of the input, a learner does not wait for the previous version.
      cycle.move(Transition.EXPIRE);
    }
    cycle.move(Transition.CONTRIBUTE);
    // A version that was found before does not contain this contribution.
    found = null;
    SortedMap<String, byte[]> files = model.artifact().files();
    base = base.contributing(version, stored.digest(), parameters(files), uses(files));
    open = model.update();
    openArrivals = joined(openArrivals, arrivedAtMillis);
    openUntilMillis = nowMillis + limitMillis();
    remember(version);
    watch.hurry(nowMillis);
    if (gate != null) {
      gate.hurry(nowMillis);
    }
    mixer.accept(record(false, progress));
  }

  private static long[] joined(long[] before, long[] more) {
    long[] all = Arrays.copyOf(before, before.length + more.length);
    System.arraycopy(more, 0, all, before.length, more.length);
    return all.length <= MOST_ARRIVALS
        ? all
        : Arrays.copyOfRange(all, all.length - MOST_ARRIVALS, all.length);
  }

  private static float[] parameters(SortedMap<String, byte[]> files) {
    try {
      return ModelMix.parameters(files);
    } catch (IOException malformed) {
      throw new UncheckedIOException("the accepted model cannot be mixed", malformed);
    }
  }

  private static int[] uses(SortedMap<String, byte[]> files) {
    try {
      return ModelMix.uses(files);
    } catch (IOException malformed) {
      throw new UncheckedIOException("the accepted model cannot be mixed", malformed);
    }
  }

  /**
   * The event that a learner continues alone.
   *
   * @param how the transition that was carried out
   */
  public record GoesOnAlone(Transition how, String message) {
    /** Returns whether the release gate has refused the mixed model with its contribution. */
    public boolean refused() {
      return how == Transition.REFUSE;
    }

    /** Returns the type of the event on the decision topic that reports it. */
    public DecisionEvent.Type type() {
      return refused() ? DecisionEvent.Type.HELD : DecisionEvent.Type.DROPPED;
    }
  }

  /**
   * Looks for a version to adopt, and, with a release gate, for a mixed model to compare.
   *
   * @return the event that the learner does not wait any more for a version with its contribution;
   *     null if this has not happened
   */
  public @Nullable GoesOnAlone poll(long nowMillis) {
    found = watch.poll(base, !settled(), nowMillis);
    CandidateVerdict refusal =
        gate == null ? null : gate.poll(settled() ? "" : base.digest(), nowMillis);
    if (refusal != null) {
      cycle.move(Transition.REFUSE);
      return new GoesOnAlone(
          Transition.REFUSE,
          "the mixed model with contribution %d is %s; it is not published. Its progress is in the next mixed model, and the learner goes on alone"
              .formatted(base.version(), refusal.describe()));
    }
    if (found == null && cycle.state() == State.OPEN && nowMillis >= openUntilMillis) {
      cycle.move(Transition.EXPIRE);
      versions.late();
      return new GoesOnAlone(
          Transition.EXPIRE,
          "no mixed version has contained contribution %d within %d s; the learner goes on alone, and its next contribution contains it"
              .formatted(base.version(), limitMillis() / 1_000));
    }
    return null;
  }

  /** Returns whether there is a version to adopt. */
  public boolean ready() {
    return found != null;
  }

  /** Returns when to poll again. */
  public long nextPollMillis(long nowMillis, long pollMillis) {
    long next = watch.nextPollMillis(nowMillis, pollMillis);
    if (gate != null) {
      next = Math.min(next, gate.nextPollMillis(nowMillis, pollMillis));
    }
    return cycle.state() == State.OPEN ? Math.min(next, openUntilMillis) : next;
  }

  /**
   * A version that was adopted.
   *
   * @param model the model from which the learner continues; null if it has trained nothing yet
   * @param version number of the version; 0 if the version does not serve
   * @param joined whether the version replaced everything that the learner had learned
   * @param contains record of the update whose model the version contains; null if an earlier
   *     version contained this model already, or if there is none
   * @param arrivedAtMillis arrival times of the new samples that the version contains
   */
  public record Adopted(
      @Nullable ModelArtifact model,
      long version,
      boolean joined,
      @Nullable UpdateRecord contains,
      long[] arrivedAtMillis,
      String message) {}

  /**
   * Adopts the version that was found, between two updates.
   *
   * @param local the learner's model; null if it has trained nothing
   */
  public Adopted adopt(@Nullable ModelArtifact local, Progress progress, long nowMillis) {
    MixedWatch.Found taken = found;
    if (taken == null) {
      throw new IllegalStateException("there is no version to adopt");
    }
    found = null;
    boolean joins = MixedWatch.joins(taken.mine(), base);
    MixedBase before = base;
    float[] anchor = joins ? null : before.anchor();
    ModelArtifact model;
    ModelArtifact first = null;
    try {
      if (local == null) {
        first = ModelMix.start(taken.files());
        model = null;
      } else {
        model = ModelMix.adopted(local, anchor, before.uses(), taken.files());
      }
    } catch (IOException malformed) {
      throw new UncheckedIOException(
          "%s: version %d cannot be adopted"
              .formatted(key.text(), taken.checkpoint().manifest().version()),
          malformed);
    }
    boolean givesUp = joins && local != null;
    ModelArtifact now = model == null ? first : model;
    if (shared != null && now != null) {
      // A learner that has not trained yet has the rows of the version that it adopted last.
      shared.adopted(local == null ? before.start() : local, now);
    }
    cycle.move(Transition.ADOPT);
    base = before.adopting(taken.version().round(), parameters(taken.files()), first);
    if (givesUp) {
      base = base.givingUp(progress.trained());
      mixer.accept(record(true, progress));
    }
    waitMillis = taken.version().waitMillis();
    boolean serves = taken.checkpoint().manifest().partition() == 0;
    UpdateRecord contains = givesUp || !serves ? null : open;
    long[] arrivals = givesUp || !serves ? new long[0] : openArrivals;
    if (givesUp || serves) {
      open = null;
      openArrivals = new long[0];
    }
    long version = serves ? taken.checkpoint().manifest().version() : 0;
    versions.adopted(taken, version, nowMillis);
    return new Adopted(model, version, givesUp, contains, arrivals, message(taken, givesUp));
  }

  private static String message(MixedWatch.Found taken, boolean joined) {
    MixedVersion version = taken.version();
    StringJoiner partitions = new StringJoiner(", ");
    for (Contributor each : version.contributors()) {
      if (each.rows() > 0) {
        partitions.add("%d (%,d rows)".formatted(each.partition(), each.rows()));
      }
    }
    String notes = version.notes().isEmpty() ? "" : "; " + String.join("; ", version.notes());
    ModelCheckpoint checkpoint = taken.checkpoint();
    String which =
        checkpoint.manifest().partition() == 0
            ? "version " + checkpoint.manifest().version()
            : "a version that does not serve, because another one has learned more,";
    return "%s of round %d adopted%s; it has new progress of %s%s"
        .formatted(
            which,
            version.round(),
            joined ? ", which takes the place of what this learner had learned alone" : "",
            partitions.length() == 0 ? "no partition" : "partitions " + partitions,
            notes);
  }

  /**
   * Returns the parameters of the version that was adopted last, in the form in which a
   * contribution contains them; empty if no version was adopted. Safe from any thread.
   */
  byte[] adopted() {
    float[] parameters = base.adopted();
    return parameters == null ? new byte[0] : NetworkFile.bytes(parameters);
  }

  /**
   * Returns the findings of the comparison of mixed models; null if mixed models are not compared
   * before they are published.
   */
  public @Nullable Finding comparison() {
    return gate == null ? null : gate.finding();
  }

  /** Returns whether a mixed model is being compared now. */
  public boolean comparesNow() {
    return gate != null && gate.compares();
  }

  /** Returns the part of the learner's status about the mixed model. */
  public MixingStatus status() {
    return versions.status(cycle.state(), base.round());
  }

  /** Frees the models that are compared. */
  @Override
  public void close() {
    if (gate != null) {
      gate.close();
    }
  }

  // ---- state ----------------------------------------------------------------------------------

  private void remember(long version) {
    newest.addLast(version);
    while (newest.size() > HELD_BY_MIXER) {
      newest.removeFirst();
    }
    publishNeeded();
  }

  private void publishNeeded() {
    Set<Long> all = new HashSet<>(newest);
    atCheckpoints.forEach(all::addAll);
    needed = Set.copyOf(all);
  }

  /**
   * Returns the contributions that a restore from one of the last checkpoints can need. Safe from
   * any thread.
   */
  Set<Long> neededContributions() {
    return needed;
  }

  /** Records that a checkpoint is taken. */
  public void checkpointed() {
    atCheckpoints.addLast(Set.copyOf(newest));
    while (atCheckpoints.size() > CHECKPOINTS) {
      atCheckpoints.removeFirst();
    }
    publishNeeded();
  }

  /** Returns the encoded state. */
  public byte[] snapshot() {
    return base.snapshot(!settled());
  }

  /**
   * Restores the state from a {@link #snapshot}.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot) {
    base = MixedBase.restore(snapshot);
    boolean opened = MixedBase.open(snapshot);
    cycle.move(opened ? Transition.RESTORE_OPEN : Transition.RESTORE);
    for (long version = base.version() - HELD_BY_MIXER + 1; version <= base.version(); version++) {
      if (version > 0) {
        remember(version);
      }
    }
  }
}
