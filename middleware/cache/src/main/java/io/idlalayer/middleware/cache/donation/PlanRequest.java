package io.idlalayer.middleware.cache.donation;

import io.idlalayer.middleware.cache.policy.HitCurve;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The input of a plan: the owners with their models and limits, the ceiling, and the hit curve. All
 * memory is in MiB.
 *
 * @param owners the owners that share the cache
 * @param ceilingMib limit of the sum of all donations
 * @param hits the measured curve of the shared cache, or null
 */
record PlanRequest(List<Owner> owners, long ceilingMib, @Nullable HitCurve hits) {
  /**
   * Creates a request and checks its donations.
   *
   * @throws IllegalArgumentException if the present donations exceed the ceiling
   */
  public PlanRequest {
    owners = List.copyOf(owners);
    long total = 0;
    for (Owner owner : owners) {
      total += owner.currentMib();
    }
    if (total > ceilingMib) {
      throw new IllegalArgumentException(
          "the owners give %,d MiB and the ceiling is %,d".formatted(total, ceilingMib));
    }
  }

  /**
   * A cache owner as the planner sees it.
   *
   * @param tasks weight of the owner's task time in the mean, relative to the other owners
   * @param seconds function from a donation in MiB to the owner's mean task time; null if the model
   *     is not ready. If the result is not finite, the donation is excluded; a negative result
   *     counts as 0
   * @param limits limits of the owner's donation
   * @param probeMib a donation to try, so that the model learns, if the plan would not change the
   *     donation otherwise
   */
  public record Owner(
      String name,
      double tasks,
      long currentMib,
      @Nullable DoubleUnaryOperator seconds,
      Limits limits,
      OptionalLong probeMib) {
    public Owner {
      if (currentMib < 0 || !(tasks >= 0) || !Double.isFinite(tasks)) {
        throw new IllegalArgumentException(
            "owner %s donates %d MiB and has %s tasks; both must be finite and at least 0"
                .formatted(name, currentMib, tasks));
      }
    }
  }

  /**
   * The limits of one owner's donation in the next plan.
   *
   * @param mostMib upper bound of the donation, {@code r / e_m} minus the minimum heap
   * @param changeMib largest change of the donation now, in MiB
   */
  public record Limits(long mostMib, long changeMib) {
    public Limits {
      if (mostMib < 0 || changeMib < 0) {
        throw new IllegalArgumentException(
            "a bound of %d MiB and a change of %d MiB; neither may be negative"
                .formatted(mostMib, changeMib));
      }
    }
  }
}
