package io.idlalayer.modelcontroller.update;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.modelcontroller.cost.CostEstimate;
import io.idlalayer.modelcontroller.cost.MeasuredUpdate;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.cost.UpdateOverhead;
import io.idlalayer.modelcontroller.update.rule.PendingQueue;
import io.idlalayer.modelcontroller.update.rule.Regret;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Charge;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.CostBasis;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Explanation;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Guarantee;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to train a model on one machine. The controller asks a rule about the waiting
 * samples, starts no training while one runs, keeps the hard limits and the pauses after failures,
 * and explains each decision. Times are nanoseconds of the caller's clock; if the clock goes back,
 * the last time seen is used, so a step back does no harm. Confined to one thread.
 */
public final class UpdateController {
  static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
  static final long LONGEST_PAUSE_NANOS = 300_000_000_000L;

  /**
   * Time in nanoseconds for which decisions to wait repeat the last explanation, because a new
   * explanation takes O(waiting samples).
   */
  static final long EXPLANATION_NANOS = 100_000_000L;

  private static final long LONG_AGO = Long.MIN_VALUE / 2;

  /** Weight of the latest update in the mean number of replayed samples. */
  private static final double REPLAY_GAIN = 0.3;

  private static final StateFormat FORMAT = StateFormat.first("update controller");

  /** Receives the arrival times of waiting samples. */
  @FunctionalInterface
  public interface Arrivals {
    /** Receives the arrival time of one waiting sample; times ascend. */
    void arrived(long nanos);
  }

  private final UpdateSettings settings;
  private final UpdateRule rule;
  private final PendingQueue pending = new PendingQueue();
  private final Certificates certificates;
  private final HardLimits limits;

  private TrainingCostModel cost;
  private CostEstimate estimate;
  private UpdateOverhead overhead = new UpdateOverhead();
  private double replayed;
  private double urgency = 1;
  private long nowNanos = Long.MIN_VALUE;
  private @Nullable PendingQueue inTraining;
  private long startedNanos = LONG_AGO;
  private int failures;
  private long pausedUntilNanos = Long.MIN_VALUE;
  private long delayed;
  private int certified;
  private int retry;
  private UpdateDecision.@Nullable Wait quietWait;
  private long quietNanos = LONG_AGO;
  private int unexplained;

  public UpdateController(UpdateSettings settings, TrainingCostModel cost) {
    this.settings = settings;
    this.cost = cost;
    estimate = cost.estimate();
    limits = new HardLimits(settings.limits());
    certificates = new Certificates(costs(), estimates());
    rule = UpdateRules.of(settings, certificates.charged(), true);
    rule.rearm(pending, costs(), 0);
  }

  /**
   * Adds new samples and decides. O(1). The explanation of a returned {@code Wait} can be up to
   * {@code EXPLANATION_NANOS} old; {@link #explain} computes a new explanation.
   *
   * @param count number of samples that arrived at this time, at least 1
   */
  public UpdateDecision arrived(long atNanos, int count) {
    if (count < 1) {
      throw new IllegalArgumentException("count=" + count + " samples cannot arrive");
    }
    advance(atNanos);
    pending.add(nowNanos, count);
    unexplained++;
    certificates.arrived(nowNanos, count);
    rule.arrived(pending, nowNanos, count);
    PendingQueue running = inTraining;
    if (running != null && retry == 0 && restarts(running.size())) {
      return new UpdateDecision.Restart(
          explanation(
              "training all %d samples now saves more than finishing the training of %d that runs"
                  .formatted(running.size() + pending.size(), running.size()),
              running.size() + pending.size()));
    }
    return due() ? decide() : quiet();
  }

  private boolean restarts(int running) {
    return running + pending.size() <= limits.maxBatch()
        && rule.restarts(pending, running, startedNanos, nowNanos);
  }

  /** Decides after a timer has fired without a new sample. */
  public UpdateDecision evaluate(long atNanos) {
    advance(atNanos);
    return due() ? decide() : quiet();
  }

  /**
   * Decides to train all waiting samples although the rule does not require it, because the input
   * has ended.
   */
  public UpdateDecision flush(long atNanos) {
    return trainAll(atNanos, "the input ended: everything that waits is trained", true);
  }

  /**
   * Decides to train all waiting samples at once, even in a pause after failures, because the store
   * is full.
   */
  public UpdateDecision trainNow(long atNanos) {
    return trainAll(atNanos, "hard limit: the store is full of samples that wait", false);
  }

  /**
   * Decides to train all waiting samples because the store is nearly full; respects a pause after
   * failures.
   */
  public UpdateDecision trainEarly(long atNanos) {
    return trainAll(atNanos, "hard limit: the store is nearly full of samples that wait", true);
  }

  /**
   * Limits the following updates to the oldest {@code samples} and starts each as soon as the pause
   * after a failure is over, whatever the rule decides. The caller uses this to find the samples
   * that make trainings fail. The value 0 removes the limit.
   */
  public void retry(int samples) {
    if (retry != samples) {
      retry = samples;
      rearm();
    }
  }

  /** Decides to train all waiting samples at once, because a user requested an update. */
  public UpdateDecision trainOnRequest(long atNanos) {
    return trainAll(atNanos, "an update was asked for", false);
  }

  private UpdateDecision trainAll(long atNanos, String reason, boolean afterPause) {
    advance(atNanos);
    boolean paused = afterPause && nowNanos < pausedUntilNanos;
    if (retry > 0 && inTraining == null && !pending.isEmpty() && !paused) {
      return trainRetry();
    }
    return inTraining != null || pending.isEmpty() || paused
        ? quiet()
        : train(pending.size(), reason);
  }

  private UpdateDecision trainRetry() {
    return train(
        Math.min(retry, pending.size()),
        "a training failed: the next one tries %d samples at once"
            .formatted(Math.min(retry, pending.size())));
  }

  private UpdateDecision quiet() {
    UpdateDecision.Wait wait = quietWait;
    boolean old = nowNanos - quietNanos >= EXPLANATION_NANOS && 4 * unexplained >= pending.runs();
    if (wait == null || old) {
      unexplained = 0;
      wait = new UpdateDecision.Wait(explain(nowNanos));
      quietWait = wait;
      quietNanos = nowNanos;
    }
    return wait;
  }

  private void advance(long atNanos) {
    nowNanos = Math.max(nowNanos, atNanos);
  }

  private boolean due() {
    return nextFiringNanos() <= nowNanos;
  }

  /**
   * Returns when the next update is due if nothing else happens; {@link Explanation#NEVER} if no
   * update is due.
   */
  public long nextFiringNanos() {
    if (inTraining != null || pending.isEmpty()) {
      return Explanation.NEVER;
    }
    if (retry > 0) {
      return Math.max(pausedUntilNanos, LONG_AGO);
    }
    long next = Math.min(rule.nextFiringNanos(pending), limits.latestNanos(pending, nowNanos));
    return Math.max(next, Math.max(pausedUntilNanos, limits.earliestNanos(startedNanos)));
  }

  private UpdateDecision decide() {
    if (retry > 0) {
      return trainRetry();
    }
    boolean byRule = rule.nextFiringNanos(pending) <= nowNanos;
    String reason = byRule ? rule.firing(pending, nowNanos) : limits.reason(pending);
    boolean heldBack =
        limits.heldBack(Math.min(nowNanos, rule.nextFiringNanos(pending)), startedNanos);
    return train(
        byRule ? rule.batchSize(pending, nowNanos) : pending.size(),
        heldBack ? reason + "; hard limit: update.min-interval held it back" : reason);
  }

  private UpdateDecision train(int wanted, String reason) {
    int batch = Math.min(wanted, limits.maxBatch());
    String text =
        batch < wanted
            ? reason + "; hard limit: update.max-batch leaves " + (wanted - batch)
            : reason;
    return new UpdateDecision.Train(batch, explanation(text, batch));
  }

  /** Returns a new explanation of the present decision, with all numbers. O(pending samples). */
  public Explanation explain(long atNanos) {
    advance(atNanos);
    String reason;
    if (inTraining != null) {
      reason = "a training is running";
    } else if (pending.isEmpty()) {
      reason = "no sample waits";
    } else if (nowNanos < pausedUntilNanos) {
      reason = "pausing after %d failed trainings in a row".formatted(failures);
    } else if (nowNanos < limits.earliestNanos(startedNanos)) {
      reason = "hard limit: update.min-interval is not over";
    } else {
      reason = rule.waiting();
    }
    return explanation(reason, Math.min(pending.size(), limits.maxBatch()));
  }

  private Explanation explanation(String reason, int batch) {
    boolean weighs = rule.threshold() > 0;
    RuleCosts costs = costs();
    double waits = pending.waits(nowNanos);
    return new Explanation(
        settings.rule().key(),
        reason,
        pending.size(),
        new Charge(
            weighs
                ? rule.charge(pending, nowNanos)
                : Regret.largest(pending, nowNanos, costs.secondsPerSample()),
            rule.threshold(),
            costs.waiting(pending.size(), waits)),
        estimate.predict(Math.max(1, batch + replayed)),
        new CostBasis(costs, overhead.seconds(), urgency),
        new Guarantee(
            certificates.estimated().ratio(pending.size(), waits), rule.denials(), delayed),
        nextFiringNanos());
  }

  /**
   * Records that a training of the oldest samples has started, together with replayed samples. The
   * number of replayed samples is negative if the training leaves rows out.
   */
  public void trainingStarted(int newSamples, int replayedSamples, long atNanos) {
    if (inTraining != null) {
      throw new IllegalStateException("a training is running already");
    }
    advance(atNanos);
    startedNanos = nowNanos;
    inTraining = pending.oldest(newSamples);
    certificates.updateStarted(pending, newSamples, nowNanos);
    rule.updateStarted(pending, newSamples, nowNanos);
    pending.removeOldest(newSamples);
    rearm();
  }

  /**
   * Records that the training has succeeded. The controller learns the duration of the training and
   * the overhead of the update, restarts the rule with the samples that arrived during the
   * training, and decides.
   */
  public UpdateDecision trainingEnded(
      long atNanos, int newSamples, int replayedSamples, MeasuredUpdate measured) {
    advance(atNanos);
    RuleCosts known = estimates();
    double seconds = measured.trainSeconds() + measured.overheadSeconds();
    double longer = seconds - known.fixedSeconds() - known.secondsPerSample() * newSamples;
    certificates.paidBeyond(longer * (newSamples + known.weight()));
    inTraining = null;
    failures = 0;
    pausedUntilNanos = Long.MIN_VALUE;
    cost.observe(newSamples + replayedSamples, measured.trainSeconds());
    overhead.observe(measured.overheadSeconds());
    estimate = cost.estimate();
    replayed += REPLAY_GAIN * (replayedSamples - replayed);
    certificates.costs(costs(), estimates());
    rearm();
    if (due()) {
      delayed++;
      return decide();
    }
    return quiet();
  }

  /**
   * Records that the training has failed, returns its oldest samples to the waiting ones, and
   * decides.
   *
   * @param other true if the next training has other samples, so that this failure says nothing
   *     about it and the pause before it is the shortest
   */
  public UpdateDecision trainingDropped(long atNanos, int samplesBack, boolean other) {
    advance(atNanos);
    putBack(samplesBack);
    if (other) {
      failures = 0;
    }
    long pause = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(failures, 20));
    failures++;
    pausedUntilNanos = nowNanos + pause;
    rearm();
    return quiet();
  }

  /**
   * Records that the training was aborted in favor of a larger one, returns all its samples to the
   * waiting ones, and decides.
   */
  public UpdateDecision trainingAborted(long atNanos) {
    advance(atNanos);
    PendingQueue given = inTraining;
    putBack(given == null ? 0 : given.size());
    rearm();
    return due() ? decide() : quiet();
  }

  private void putBack(int samplesBack) {
    PendingQueue given = inTraining;
    if (given != null) {
      PendingQueue back = given.oldest(samplesBack);
      certificates.paidBeyond(costs().weight() * (nowNanos - startedNanos) / Nanos.PER_SECOND);
      if (samplesBack > 0) {
        certificates.reverted();
        pending.addOldest(back);
      }
      inTraining = null;
    }
  }

  /**
   * Sets the urgency and decides. The urgency is the factor by which the cost of waiting is
   * multiplied from now on, because the model in service is losing quality. It has the effect of
   * dividing the weight of training costs by this factor.
   *
   * @param factor at least 1
   */
  public UpdateDecision urgency(double factor, long atNanos) {
    advance(atNanos);
    urgency = Math.max(1, factor);
    certificates.costs(costs(), estimates());
    rearm();
    return due() ? decide() : quiet();
  }

  private void rearm() {
    quietWait = null;
    rule.rearm(pending, costs(), nowNanos);
  }

  /** Returns the costs that the rule charges. */
  private RuleCosts costs() {
    return costs(estimate.fixedSecondsForDecision());
  }

  /** Returns the costs computed from the mean of the cost estimate. */
  private RuleCosts estimates() {
    return costs(estimate.fixedSeconds());
  }

  /**
   * Returns the costs for a given fixed cost of a training. Replayed samples and the overhead of an
   * update are added to the fixed cost: eps' = eps + lambda * replayed + overhead.
   */
  private RuleCosts costs(double fixed) {
    double each = estimate.secondsPerSample();
    return new RuleCosts(
        each,
        fixed + each * Math.max(0, replayed) + overhead.seconds(),
        settings.weight() / urgency);
  }

  /** Returns the number of failed trainings since the last successful one. */
  public int failures() {
    return failures;
  }

  /** Returns the number of waiting samples, without the samples in training. */
  public int pending() {
    return pending.size();
  }

  /**
   * Restores the waiting samples after a restart; the source passes the arrival times of the
   * waiting samples, ascending.
   */
  public void rebuild(long atNanos, Consumer<Arrivals> source) {
    advance(atNanos);
    pending.clear();
    inTraining = null;
    source.accept(
        nanos -> {
          long atMost = Math.min(nanos, nowNanos);
          long time = Math.max(atMost, pending.newestNanos(atMost));
          pending.add(time, 1);
          if (pending.size() > certified) {
            certificates.arrived(time, 1);
          }
        });
    // If the clock was set back after the snapshot, the pause would otherwise be too long.
    pausedUntilNanos = Math.min(pausedUntilNanos, nowNanos + LONGEST_PAUSE_NANOS);
    startedNanos = Math.min(startedNanos, nowNanos);
    rearm();
  }

  /**
   * Replaces the arrival times of the waiting samples. The caller does so after labels were
   * withdrawn or a training was given up.
   *
   * @param source gives the arrival times of all samples that wait now, ascending; without the
   *     samples that are being trained
   */
  public void waiting(long atNanos, Consumer<Arrivals> source) {
    advance(atNanos);
    pending.clear();
    source.accept(nanos -> pending.add(Math.max(nanos, pending.newestNanos(nanos)), 1));
    rearm();
  }

  /** Returns the state without the waiting samples as bytes for {@link #restore}. */
  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putDouble(1, replayed)
        .putInt(2, failures)
        .putLong(3, pausedUntilNanos)
        .putLong(4, startedNanos)
        .putInt(5, pending.size())
        .putText(6, settings.rule().key())
        .putBytes(7, rule.snapshot())
        .putBytes(8, certificates.charged().snapshot())
        .putBytes(9, certificates.estimated().snapshot())
        .putBytes(10, cost.snapshot())
        .putBytes(11, overhead.snapshot())
        .bytes();
  }

  /**
   * Returns the start of the last training, which is the latest time in the state after {@link
   * #restore}; a time long ago if there was none.
   */
  public long rememberedNanos() {
    return startedNanos;
  }

  /**
   * Restores the state from a snapshot; {@link #rebuild} must follow. The state of the rule is
   * ignored if another rule wrote it.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    replayed = in.getDouble(1);
    failures = in.getInt(2);
    pausedUntilNanos = in.getLong(3);
    startedNanos = in.getLong(4);
    certified = in.getInt(5);
    TrainingCostModel learned = TrainingCostModel.restore(in.getBytes(10));
    if (learned.estimate().observations() > 0) {
      cost = learned;
    }
    overhead = UpdateOverhead.restore(in.getBytes(11));
    estimate = cost.estimate();
    certificates.costs(costs(), estimates());
    certificates.charged().restore(in.getBytes(8));
    certificates.estimated().restore(in.getBytes(9));
    byte[] ruleState = in.getBytes(7);
    if (in.getText(6).equals(settings.rule().key()) && ruleState.length > 0) {
      rule.restore(ruleState);
    }
    rearm();
  }
}
