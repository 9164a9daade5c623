package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.middleware.state.StateFormat;

/**
 * The rules that ignore costs. They are common practice, and the benchmarks use them as baselines.
 */
public final class BaselineRules {
  private BaselineRules() {}

  /**
   * Fires once in every period if samples wait. The first period starts with the first arrival. If
   * a firing is due during a training, the rule fires at the end of this training.
   */
  public static final class Periodic implements UpdateRule {
    /** Longest period, a hundred years, so that a time plus a period cannot overflow. */
    private static final double LONGEST_PERIOD_NANOS = 100 * 365.25 * 86_400e9;

    private static final StateFormat FORMAT = StateFormat.first("rule periodic");

    private final long periodNanos;

    /**
     * The latest multiple of the period that has passed; before the first multiple, the time of the
     * first arrival.
     */
    private long lastNanos = NEVER;

    public Periodic(double periodSeconds) {
      periodNanos =
          (long) Math.min(LONGEST_PERIOD_NANOS, Math.ceil(periodSeconds * Nanos.PER_SECOND));
    }

    @Override
    public void arrived(PendingQueue pending, long nowNanos, int count) {
      if (lastNanos == NEVER) {
        lastNanos = nowNanos;
      } else if (pending.size() == count) {
        lastNanos = Math.min(lastNanos, nowNanos);
        advancePhase(nowNanos);
      }
    }

    @Override
    public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {
      if (pending.isEmpty()) {
        return;
      }
      if (lastNanos == NEVER) {
        lastNanos = pending.oldestNanos();
      } else {
        // Firings that were due after the oldest arrival must still happen. Firings before it had
        // nothing to train.
        lastNanos = Math.min(lastNanos, nowNanos);
        advancePhase(pending.oldestNanos());
      }
    }

    @Override
    public void updateStarted(PendingQueue pending, int samples, long nowNanos) {
      if (lastNanos != NEVER) {
        advancePhase(nowNanos);
      }
    }

    @Override
    public byte[] snapshot() {
      return FORMAT.writer().putLong(1, lastNanos).bytes();
    }

    @Override
    public void restore(byte[] snapshot) {
      lastNanos = FORMAT.reader(snapshot).getLong(1);
    }

    /** Sets {@link #lastNanos} to the latest multiple of the period that has passed. */
    private void advancePhase(long nowNanos) {
      if (nowNanos > lastNanos) {
        lastNanos += (nowNanos - lastNanos) / periodNanos * periodNanos;
      }
    }

    @Override
    public long nextFiringNanos(PendingQueue pending) {
      return pending.isEmpty() ? NEVER : lastNanos + periodNanos;
    }

    @Override
    public String firing(PendingQueue pending, long nowNanos) {
      return "the period of %s s is over".formatted(Nanos.toSeconds(periodNanos));
    }

    @Override
    public String waiting() {
      return "the period of %s s is not over".formatted(Nanos.toSeconds(periodNanos));
    }
  }

  /** Fires when a fixed number of samples waits. */
  public static final class Count implements UpdateRule {
    private final int count;

    public Count(int count) {
      if (count < 1) {
        throw new IllegalArgumentException("count=" + count + " must be at least 1");
      }
      this.count = count;
    }

    @Override
    public void arrived(PendingQueue pending, long nowNanos, int arrived) {}

    @Override
    public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {}

    @Override
    public long nextFiringNanos(PendingQueue pending) {
      return pending.size() >= count ? pending.oldestNanos() : NEVER;
    }

    @Override
    public int batchSize(PendingQueue pending, long nowNanos) {
      return Math.min(count, pending.size());
    }

    @Override
    public String firing(PendingQueue pending, long nowNanos) {
      return "%d samples wait".formatted(pending.size());
    }

    @Override
    public String waiting() {
      return "fewer than %d samples wait".formatted(count);
    }
  }

  /** Fires whenever a sample waits and the trainer is free. */
  public static class BestEffort implements UpdateRule {
    @Override
    public void arrived(PendingQueue pending, long nowNanos, int count) {}

    @Override
    public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {}

    @Override
    public long nextFiringNanos(PendingQueue pending) {
      return pending.isEmpty() ? NEVER : pending.oldestNanos();
    }

    @Override
    public String firing(PendingQueue pending, long nowNanos) {
      return "samples wait and the trainer is free";
    }

    @Override
    public String waiting() {
      return "samples wait for the next evaluation";
    }
  }

  /** Fires only on a user's request, or because of a hard limit. */
  public static final class Manual implements UpdateRule {
    @Override
    public void arrived(PendingQueue pending, long nowNanos, int count) {}

    @Override
    public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {}

    @Override
    public long nextFiringNanos(PendingQueue pending) {
      return NEVER;
    }

    @Override
    public String firing(PendingQueue pending, long nowNanos) {
      return "told to train";
    }

    @Override
    public String waiting() {
      return "waiting to be told";
    }
  }
}
