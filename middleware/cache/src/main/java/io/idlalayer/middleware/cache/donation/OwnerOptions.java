package io.idlalayer.middleware.cache.donation;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The donations that one owner can choose from, each with its cost by the owner's task-time model.
 */
final class OwnerOptions {
  /**
   * Share of the task time that a change must save for each grid step, so that donations with equal
   * times do not change.
   */
  private static final double INERTIA = 1e-9;

  private final PlanRequest.Owner owner;
  private final double weight;
  private final long gridMib;
  private final @Nullable DoubleUnaryOperator seconds;

  /**
   * Creates the options of an owner.
   *
   * @param weight share of the owner's tasks in all tasks
   */
  OwnerOptions(PlanRequest.Owner owner, double weight, long gridMib) {
    this.owner = owner;
    this.weight = weight;
    this.gridMib = gridMib;
    DoubleUnaryOperator given = owner.seconds();
    boolean known =
        given != null && Double.isFinite(given.applyAsDouble((double) owner.currentMib()));
    seconds = known ? given : null;
  }

  boolean ready() {
    return seconds != null;
  }

  /** Returns whether the owner's donation exceeds its upper bound and must become smaller. */
  boolean forced() {
    return owner.currentMib() > owner.limits().mostMib();
  }

  /** Returns the predicted task time in seconds at a donation; NaN without a model. */
  double secondsAt(long donationMib) {
    return seconds == null ? Double.NaN : Math.max(0, seconds.applyAsDouble((double) donationMib));
  }

  /**
   * Returns the donation of an owner that chooses no other donation. It is the present donation,
   * unless the owner's upper bound requires a smaller one; then it is reduced as far as a single
   * change can.
   *
   * @param changeMib largest change, in MiB
   */
  long restMib(long changeMib) {
    long current = owner.currentMib();
    long cap = owner.limits().mostMib();
    return current <= cap ? current : Math.max(cap - cap % gridMib, current - changeMib);
  }

  /** Returns a single option, {@link #restMib}, for an owner that must not choose. */
  JointSearch.Options pinned(long changeMib) {
    return options(LongStream.of(restMib(changeMib)));
  }

  /**
   * Returns the options within reach: {@link #restMib} first, then every other multiple of the
   * grid.
   */
  JointSearch.Options within(long changeMib) {
    if (seconds == null) {
      return pinned(changeMib);
    }
    long current = owner.currentMib();
    long cap = owner.limits().mostMib();
    long low = Math.max(0, current - Math.min(changeMib, current));
    long high = Math.min(cap, changeMib > cap - Math.min(cap, current) ? cap : current + changeMib);
    long rest = restMib(changeMib);
    LongStream grid =
        LongStream.rangeClosed((low + gridMib - 1) / gridMib, high / gridMib)
            .map(step -> step * gridMib)
            .filter(mib -> mib != rest && Double.isFinite(seconds.applyAsDouble((double) mib)));
    return options(LongStream.concat(LongStream.of(rest), grid));
  }

  private JointSearch.Options options(LongStream sizes) {
    long[] mib = sizes.toArray();
    return new JointSearch.Options(mib, Arrays.stream(mib).mapToDouble(this::cost).toArray());
  }

  private double cost(long mib) {
    if (seconds == null) {
      return 0;
    }
    double now = secondsAt(owner.currentMib());
    double then = secondsAt(mib);
    double steps = (double) Math.abs(mib - owner.currentMib()) / gridMib;
    double inertia = INERTIA * steps * (now > 0 ? now : 1);
    return weight * ((Double.isFinite(then) ? then : now) + inertia);
  }
}
