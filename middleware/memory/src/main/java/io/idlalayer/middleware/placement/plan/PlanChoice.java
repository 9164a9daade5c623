package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.placement.plan.PlanRehearsal.Replayed;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses among the plans of several planners by rehearsing them. Any thread. */
final class PlanChoice {
  /** A plan is followed if its step takes at most this share of that of {@code cached-arrays}. */
  static final double WORTH_FOLLOWING = 0.98;

  /**
   * The share for a step that took much longer without a plan than rehearsed. Training did not find
   * the space then that the rehearsal has found, so a plan that is about as fast there is worth
   * following.
   */
  static final double WORTH_TRYING = 1.005;

  private static final Logger LOG = LoggerFactory.getLogger(PlanChoice.class);

  private final LongSupplier nanoTime;

  /**
   * @param nanoTime the time, in nanoseconds, with which planning is measured
   */
  PlanChoice(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * A decision.
   *
   * @param cut whether a planner lacked time, so that another decision may be made when the machine
   *     is less busy
   */
  record Chosen(PlanDecision decision, boolean cut) {}

  /**
   * Plans and rehearses a step with all planners of a request.
   *
   * @param meanwhile takes the decision so far before a planner that takes long
   * @throws InterruptedException if the thread is interrupted, also while a planner runs
   */
  Chosen decide(PlanRequest request, Consumer<PlanDecision> meanwhile) throws InterruptedException {
    long start = nanoTime.getAsLong();
    PlanRehearsal rehearsal = new PlanRehearsal(request.graph(), request.devices(), nanoTime);
    Map<String, String> refused = new HashMap<>();
    long unplanned = unplanned(rehearsal);
    double most = mostShare(unplanned, request.unplannedNanos());
    Replayed best = null;
    String planner = "";
    boolean told = false;
    for (Planner each : request.planners()) {
      if (each.takesLong() && !told && !each.equals(request.planners().get(0))) {
        refused.put(each.name(), "it is still searching");
        meanwhile.accept(decision(request, planner, best, unplanned, start, refused));
        refused.remove(each.name());
        told = true;
      }
      Replayed replayed = rehearsed(each, rehearsal, refused);
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while a step was planned");
      }
      if (replayed == null) {
        continue;
      }
      if (replayed.nanos() > unplanned * most) {
        refused.put(
            each.name(),
            String.format(
                Locale.ROOT,
                "its step takes %.3f times as long as with cached-arrays; a plan is followed up to %.3f times",
                (double) replayed.nanos() / unplanned,
                most));
      } else if (best == null || replayed.nanos() < best.nanos()) {
        if (best != null) {
          refused.put(planner, slower(best, replayed, each.name()));
        }
        best = replayed;
        planner = each.name();
      } else {
        refused.put(each.name(), slower(replayed, best, planner));
      }
    }
    PlanDecision decision = decision(request, planner, best, unplanned, start, refused);
    return new Chosen(decision, rehearsal.cut());
  }

  /**
   * Returns the share of a step's duration under {@code cached-arrays} up to which a plan is
   * followed.
   *
   * @param measured 0 if it is unknown
   */
  private static double mostShare(long rehearsed, long measured) {
    boolean longer = measured > rehearsed && Drift.changed((double) rehearsed, (double) measured);
    return longer ? WORTH_TRYING : WORTH_FOLLOWING;
  }

  private PlanDecision decision(
      PlanRequest request,
      String planner,
      @Nullable Replayed best,
      long unplanned,
      long start,
      Map<String, String> refused) {
    // 0 is unknown: nothing is compared with it.
    long measured = unplanned == Long.MAX_VALUE ? 0 : unplanned;
    return new PlanDecision(
        planner,
        best == null ? PlacementPlan.NONE : best.plan(),
        best == null ? measured : best.nanos(),
        measured,
        nanoTime.getAsLong() - start,
        request.graph().fastNanos(),
        Drift.bytesPerSecond(request.devices().times().slow()),
        refused);
  }

  private static long unplanned(PlanRehearsal rehearsal) throws InterruptedException {
    try {
      return rehearsal.unplannedNanos();
    } catch (DeviceFullException full) {
      // Training would fail without a plan; any plan that replays is better.
      LOG.warn("the rehearsal of a step under cached-arrays failed: {}", full.getMessage());
      return Long.MAX_VALUE;
    }
  }

  private static String slower(Replayed slower, Replayed best, String bestName) {
    return String.format(
        Locale.ROOT,
        "its step takes %.3f times as long as with %s",
        (double) slower.nanos() / best.nanos(),
        bestName);
  }

  private static @Nullable Replayed rehearsed(
      Planner planner, PlanRehearsal rehearsal, Map<String, String> refused)
      throws InterruptedException {
    try {
      Replayed replayed = rehearsal.best(planner);
      if (!replayed.plan().isEmpty()) {
        return replayed;
      }
      refused.put(planner.name(), "it finds no plan");
    } catch (DeviceFullException full) {
      refused.put(planner.name(), "its plan does not fit: " + full.getMessage());
    } catch (PlanRefusedException refusal) {
      refused.put(planner.name(), String.valueOf(refusal.getMessage()));
    } catch (RuntimeException failed) {
      LOG.warn("planner {} failed", planner.name(), failed);
      refused.put(planner.name(), "it failed: " + failed);
    }
    return null;
  }
}
