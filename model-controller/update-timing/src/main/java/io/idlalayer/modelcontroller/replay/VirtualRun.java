package io.idlalayer.modelcontroller.replay;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.update.LimitedRule;
import io.idlalayer.modelcontroller.update.UpdateRules;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.rule.Certificate;
import io.idlalayer.modelcontroller.update.rule.PendingQueue;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Runs one update rule over one trace of arrivals in virtual time; a training of s samples takes
 * exactly lambda*s + eps seconds. Samples that a rule without a timer has not trained are trained
 * at the last arrival. Not thread-safe. An object is used for one run.
 */
public final class VirtualRun {
  /**
   * Rules that train only when the machine is free, even in a simulation in which trainings can
   * overlap.
   */
  private static final Set<RuleName> GATED = Set.of(RuleName.BEST_EFFORT, RuleName.SPECULATIVE);

  /**
   * Rules that must get the samples of an upload (samples that arrive at one time) one by one. For
   * the other rules this makes no difference.
   */
  private static final Set<RuleName> SINGLE = Set.of(RuleName.PAPER);

  private final ScheduleCosts costs;
  private RuleCosts ruleCosts;
  private final UpdateRule rule;
  private final Certificate certificate;
  private final boolean certified;
  private final boolean gated;
  private boolean single;
  private final PendingQueue pending = new PendingQueue();
  private final Histogram latencies = new Histogram(3);

  private @Nullable PendingQueue inTraining;
  private long startedNanos;
  private long freeNanos = Long.MIN_VALUE;
  private double latencySeconds;
  private double machineSeconds;
  private long updates;
  private long restarts;
  private @Nullable UpdateListener listener;

  /** Receives every update when it starts. */
  @FunctionalInterface
  public interface UpdateListener {
    /** Called when the training of the oldest {@code samples} starts at {@code atNanos}. */
    void updateStarted(long atNanos, int samples);
  }

  /** Creates a run of a rule without limits. */
  public VirtualRun(UpdateSettings settings, ScheduleCosts costs, Machine machine) {
    this(
        settings.rule(),
        new Certificate(RuleCosts.of(costs)),
        certificate -> UpdateRules.of(settings, certificate, machine == Machine.ONE),
        costs,
        machine);
  }

  /** Creates a run of a rule within its limits. */
  static VirtualRun withLimits(UpdateSettings settings, ScheduleCosts costs, Machine machine) {
    return new VirtualRun(
        settings.rule(),
        new Certificate(RuleCosts.of(costs)),
        certificate ->
            new LimitedRule(
                UpdateRules.of(settings, certificate, machine == Machine.ONE), settings.limits()),
        costs,
        machine);
  }

  /** Creates a rule, which can read a certificate. */
  @FunctionalInterface
  public interface RuleFactory {
    UpdateRule make(Certificate certificate);
  }

  /** Creates a run of a rule that is not in the registry, such as a variant under test. */
  public VirtualRun(
      RuleName kind,
      Certificate certificate,
      RuleFactory factory,
      ScheduleCosts costs,
      Machine machine) {
    this.costs = costs;
    this.certificate = certificate;
    ruleCosts = RuleCosts.of(costs);
    rule = factory.make(certificate);
    certified = kind == RuleName.ADAPTIVE;
    gated = machine == Machine.ONE || GATED.contains(kind);
    single = SINGLE.contains(kind);
    latencies.setAutoResize(true);
  }

  /** Makes the rule decide by the given estimates of the costs instead of the true costs. */
  public VirtualRun believing(RuleCosts estimate) {
    ruleCosts = estimate;
    return this;
  }

  /** Sets the listener that is called at every update. */
  public VirtualRun listener(UpdateListener told) {
    listener = told;
    return this;
  }

  /** Makes the run pass the samples of an upload to the rule one by one. */
  VirtualRun oneByOne() {
    single = true;
    return this;
  }

  /** Runs the rule to the end of the trace and returns its costs. */
  public RuleOutcome run(String name, ArrivalTrace trace) {
    long began = System.nanoTime();
    rule.rearm(pending, ruleCosts, 0);
    for (int run = 0; run < trace.runs(); run++) {
      long now = trace.timeNanos(run);
      advanceTo(now);
      if (single) {
        for (int i = trace.count(run); i > 0; i--) {
          arrive(now, 1);
        }
      } else {
        arrive(now, trace.count(run));
      }
    }
    drain(trace.runs() == 0 ? 0 : trace.timeNanos(trace.runs() - 1));
    long samples = trace.arrivals();
    return new RuleOutcome(
        name,
        latencySeconds + costs.weight() * machineSeconds,
        samples == 0 ? 0 : latencySeconds / samples,
        samples == 0 ? 0 : latencies.getValueAtPercentile(99) / 1e6,
        updates,
        machineSeconds,
        restarts,
        Nanos.toSeconds(System.nanoTime() - began));
  }

  private void arrive(long now, int count) {
    pending.add(now, count);
    if (certified) {
      certificate.arrived(now, count);
    }
    rule.arrived(pending, now, count);
    PendingQueue running = inTraining;
    if (running != null) {
      if (rule.restarts(pending, running.size(), startedNanos, now)) {
        restart(running, now);
      }
      return;
    }
    fireDue(now);
  }

  /**
   * Runs everything that happens before an arrival: firings of the rule, and the ends of trainings.
   */
  private void advanceTo(long now) {
    while (true) {
      if (inTraining != null) {
        if (freeNanos > now) {
          return;
        }
        trainingEnded();
        fireDue(freeNanos);
      } else {
        long due = rule.nextFiringNanos(pending);
        if (due >= now) {
          return;
        }
        update(due);
      }
    }
  }

  private void fireDue(long now) {
    while (inTraining == null && rule.nextFiringNanos(pending) <= now) {
      update(now);
    }
  }

  private void drain(long lastArrivalNanos) {
    while (inTraining != null || !pending.isEmpty()) {
      if (inTraining != null) {
        trainingEnded();
        fireDue(freeNanos);
      } else {
        long due = rule.nextFiringNanos(pending);
        if (due == UpdateRule.NEVER) {
          update(Math.max(lastArrivalNanos, freeNanos), pending.size());
        } else {
          update(due);
        }
      }
    }
  }

  private void update(long atNanos) {
    update(atNanos, rule.batchSize(pending, atNanos));
  }

  private void update(long atNanos, int samples) {
    if (samples < 1 || samples > pending.size()) {
      throw new IllegalStateException(
          "a rule wants to train %d samples, but %d wait".formatted(samples, pending.size()));
    }
    if (certified) {
      certificate.updateStarted(pending, samples, atNanos);
    }
    rule.updateStarted(pending, samples, atNanos);
    UpdateListener told = listener;
    if (told != null) {
      told.updateStarted(atNanos, samples);
    }
    double seconds = costs.seconds(samples);
    long endNanos = atNanos + Math.round(seconds * Nanos.PER_SECOND);
    if (gated) {
      startedNanos = atNanos;
      freeNanos = endNanos;
      inTraining = pending.oldest(samples);
    } else {
      addLatencies(pending, samples, endNanos);
      machineSeconds += seconds;
      updates++;
    }
    pending.removeOldest(samples);
    rule.rearm(pending, ruleCosts, atNanos);
  }

  private void trainingEnded() {
    PendingQueue done = inTraining;
    if (done != null) {
      addLatencies(done, done.size(), freeNanos);
      machineSeconds += costs.seconds(done.size());
      updates++;
      inTraining = null;
      rule.rearm(pending, ruleCosts, freeNanos);
    }
  }

  private void restart(PendingQueue running, long now) {
    machineSeconds += Nanos.toSeconds(now - startedNanos);
    restarts++;
    inTraining = null;
    freeNanos = now;
    pending.addOldest(running);
    rule.rearm(pending, ruleCosts, now);
    fireDue(now);
  }

  private void addLatencies(PendingQueue queue, int samples, long endNanos) {
    int left = samples;
    for (int run = 0; left > 0; run++) {
      int taken = Math.min(left, queue.count(run));
      long latency = endNanos - queue.timeNanos(run);
      latencySeconds += taken * Nanos.toSeconds(latency);
      latencies.recordValueWithCount(latency / 1000, taken);
      left -= taken;
    }
  }
}
