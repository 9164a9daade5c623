package io.idlalayer.modelcontroller.update;

import io.idlalayer.modelcontroller.cost.CostEstimate;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.update.UpdateDecision.Explanation;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to train on one machine: a rule watches the samples that wait, the controller gates
 * it while a training runs, holds the hard limits and the pauses after failures, and explains.
 * Times are nanoseconds of the caller's clock; a clock that goes back is held at the last time
 * seen, so nothing is lost by it. Confined to one thread.
 */
public final class UpdateController {
  static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
  static final long LONGEST_PAUSE_NANOS = 300_000_000_000L;

  private static final byte VERSION = 1;
  private static final double REPLAY_GAIN = 0.3;

  private final UpdateSettings settings;
  private final UpdateRule rule;
  private final PendingQueue pending = new PendingQueue();

  private TrainingCostModel cost;
  private CostEstimate estimate;
  private double replayed;
  private long nowNanos = Long.MIN_VALUE;
  private @Nullable PendingQueue inTraining;
  private int failures;
  private long pausedUntilNanos = Long.MIN_VALUE;
  private UpdateDecision.@Nullable Wait quietWait;

  public UpdateController(UpdateSettings settings, TrainingCostModel cost) {
    this.settings = settings;
    this.cost = cost;
    estimate = cost.estimate();
    rule = UpdateRules.of(settings);
    rule.rearm(pending, costs(), 0);
  }

  /**
   * Takes new samples and decides. O(1). A Wait carries the explanation of the last full
   * evaluation; {@link #explain} makes a fresh one.
   *
   * @param count how many arrived at this moment, at least 1
   */
  public UpdateDecision arrived(long atNanos, int count) {
    if (count < 1) {
      throw new IllegalArgumentException("count=" + count + " samples cannot arrive");
    }
    advance(atNanos);
    pending.add(nowNanos, count);
    rule.arrived(pending, nowNanos, count);
    if (due()) {
      return decide();
    }
    UpdateDecision.Wait wait = quietWait;
    return wait != null ? wait : quiet();
  }

  /** Decides at a moment when nothing arrived: a timer. */
  public UpdateDecision evaluate(long atNanos) {
    advance(atNanos);
    return due() ? decide() : quiet();
  }

  /** Decides to train what waits although the rule does not ask for it: the input has ended. */
  public UpdateDecision flush(long atNanos) {
    advance(atNanos);
    if (inTraining != null || pending.isEmpty() || nowNanos < pausedUntilNanos) {
      return quiet();
    }
    return train(pending.size(), "the input ended: everything that waits is trained");
  }

  /**
   * Decides to train what waits at once, a pause after failures notwithstanding: no room is left.
   */
  public UpdateDecision trainNow(long atNanos) {
    advance(atNanos);
    if (inTraining != null || pending.isEmpty()) {
      return quiet();
    }
    return train(pending.size(), "hard limit: the store is full of samples that wait");
  }

  private UpdateDecision quiet() {
    UpdateDecision.Wait wait = new UpdateDecision.Wait(explain(nowNanos));
    quietWait = wait;
    return wait;
  }

  private void advance(long atNanos) {
    nowNanos = Math.max(nowNanos, atNanos);
  }

  private boolean due() {
    return nextFiringNanos() <= nowNanos;
  }

  /**
   * When the controller fires if nothing else happens; {@link Explanation#NEVER} if it will not.
   */
  public long nextFiringNanos() {
    if (inTraining != null || pending.isEmpty()) {
      return Explanation.NEVER;
    }
    long next = Math.min(rule.nextFiringNanos(pending), limitNanos());
    return Math.max(next, pausedUntilNanos);
  }

  /** When a hard limit fires. */
  private long limitNanos() {
    if (pending.size() >= settings.maxBatch()) {
      return nowNanos;
    }
    return settings.maxWaitSeconds() > 0
        ? pending.nanos(settings.maxWaitSeconds())
        : Explanation.NEVER;
  }

  private UpdateDecision decide() {
    long byRule = rule.nextFiringNanos(pending);
    if (byRule <= nowNanos) {
      return train(rule.batchSize(pending, nowNanos), byRuleText());
    }
    return train(
        pending.size(),
        pending.size() >= settings.maxBatch()
            ? "hard limit: %d samples wait, update.max-batch is %d"
                .formatted(pending.size(), settings.maxBatch())
            : "hard limit: the oldest sample waited update.max-wait");
  }

  private String byRuleText() {
    return switch (settings.rule()) {
      case DLA ->
          "an earlier update would have saved %.3f sample-seconds; one more costs %.3f"
              .formatted(rule.charge(pending, nowNanos), rule.threshold());
      case AREA ->
          "waiting has cost %.3f sample-seconds; an update costs %.3f"
              .formatted(rule.charge(pending, nowNanos), rule.threshold());
      case PERIODIC -> "the period of %s s is over".formatted(settings.periodSeconds());
      case COUNT -> "%d samples wait".formatted(pending.size());
      case CONTINUOUS -> "samples wait and the trainer is free";
    };
  }

  private String waitingText() {
    return switch (settings.rule()) {
      case DLA, AREA -> "waiting is still cheaper than an update";
      case PERIODIC -> "the period of %s s is not over".formatted(settings.periodSeconds());
      case COUNT -> "fewer than %d samples wait".formatted(settings.count());
      case CONTINUOUS -> "samples wait for the next evaluation";
    };
  }

  private UpdateDecision train(int wanted, String reason) {
    int batch = Math.min(wanted, settings.maxBatch());
    String text =
        batch < wanted
            ? reason + "; update.max-batch leaves " + (wanted - batch) + " for the next"
            : reason;
    return new UpdateDecision.Train(batch, explanation(text, batch));
  }

  /** The standing decision in numbers. O(pending). */
  public Explanation explain(long atNanos) {
    advance(atNanos);
    String reason;
    if (inTraining != null) {
      reason = "a training is running";
    } else if (pending.isEmpty()) {
      reason = "no sample waits";
    } else if (nowNanos < pausedUntilNanos) {
      reason = "pausing after %d failed trainings in a row".formatted(failures);
    } else {
      reason = waitingText();
    }
    return explanation(reason, Math.min(pending.size(), settings.maxBatch()));
  }

  private Explanation explanation(String reason, int batch) {
    double rows = batch + replayed;
    double variable = estimate.secondsPerSample() * rows;
    return new Explanation(
        settings.rule().key(),
        reason,
        pending.size(),
        rule.charge(pending, nowNanos),
        rule.threshold(),
        variable + estimate.fixedSeconds(),
        variable + estimate.fixedSecondsLow(),
        variable + estimate.fixedSecondsHigh(),
        nextFiringNanos());
  }

  /** A training of the oldest samples has started. */
  public void trainingStarted(int newSamples, int replayedSamples, long atNanos) {
    if (inTraining != null) {
      throw new IllegalStateException("a training is running already");
    }
    advance(atNanos);
    inTraining = pending.oldest(newSamples);
    pending.removeOldest(newSamples);
    rule.committed(nowNanos);
    rearm();
  }

  /**
   * The training has succeeded: learns its cost, starts the rule over with what arrived meanwhile,
   * and decides.
   */
  public UpdateDecision trainingEnded(
      long atNanos, int newSamples, int replayedSamples, double seconds) {
    advance(atNanos);
    inTraining = null;
    failures = 0;
    pausedUntilNanos = Long.MIN_VALUE;
    cost.observe(newSamples + replayedSamples, seconds);
    estimate = cost.estimate();
    replayed += REPLAY_GAIN * (replayedSamples - replayed);
    rearm();
    return due() ? decide() : quiet();
  }

  /**
   * The training has failed. Pauses before the next one, twice as long after every further failure.
   *
   * @param samplesBack how many of its oldest samples wait again, with their old arrival times; 0
   *     if they were given up
   */
  public UpdateDecision trainingDropped(long atNanos, int samplesBack) {
    advance(atNanos);
    if (inTraining != null && samplesBack > 0) {
      pending.addOldest(inTraining.oldest(samplesBack));
    }
    inTraining = null;
    long pause = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(failures, 20));
    failures++;
    pausedUntilNanos = nowNanos + pause;
    rearm();
    return quiet();
  }

  private void rearm() {
    quietWait = null;
    rule.rearm(pending, costs(), nowNanos);
  }

  /** C = w * (eps + lambda * R) (idlalayer spec 1.2 point 8). */
  private RuleCosts costs() {
    double perSample = estimate.secondsPerSample();
    double fixed = estimate.fixedSecondsForDecision();
    return new RuleCosts(perSample, settings.weight() * (fixed + perSample * replayed));
  }

  /** Failed trainings since the last good one. */
  public int failures() {
    return failures;
  }

  /** Samples that wait, those in training not counted. */
  public int pending() {
    return pending.size();
  }

  /** Receives arrival times. */
  @FunctionalInterface
  public interface PendingArrivals {
    /** One waiting sample arrived at this time; times ascend. */
    void arrived(long nanos);
  }

  /**
   * Takes the waiting samples back after a restart.
   *
   * @param source calls its argument once for every waiting sample, times ascending
   */
  public void rebuild(long atNanos, Consumer<PendingArrivals> source) {
    advance(atNanos);
    pending.clear();
    inTraining = null;
    source.accept(
        nanos -> {
          long atMost = Math.min(nanos, nowNanos);
          pending.add(Math.max(atMost, pending.newestNanos(atMost)), 1);
        });
    // The clock may have been set back since the snapshot; a pause is never longer than this.
    pausedUntilNanos = Math.min(pausedUntilNanos, nowNanos + LONGEST_PAUSE_NANOS);
    rearm();
  }

  /** The small state that is not the waiting samples. */
  public byte[] snapshot() {
    byte[] model = cost.snapshot();
    ByteBuffer out = ByteBuffer.allocate(1 + 8 + 4 + 8 + 8 + 4 + model.length);
    out.put(VERSION).putDouble(replayed).putInt(failures).putLong(pausedUntilNanos);
    out.putLong(rule.phaseNanos());
    out.putInt(model.length).put(model);
    return out.array();
  }

  /** Takes {@link #snapshot()} back; followed by {@link #rebuild}. */
  public void restore(byte[] snapshot) {
    ByteBuffer in = ByteBuffer.wrap(snapshot);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "update controller snapshot has version %d, this program reads %d"
              .formatted(version, VERSION));
    }
    replayed = in.getDouble();
    failures = in.getInt();
    pausedUntilNanos = in.getLong();
    rule.restorePhase(in.getLong());
    byte[] model = new byte[in.getInt()];
    in.get(model);
    cost = TrainingCostModel.restore(model);
    estimate = cost.estimate();
    rearm();
  }
}
