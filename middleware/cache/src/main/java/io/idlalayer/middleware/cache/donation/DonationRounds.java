package io.idlalayer.middleware.cache.donation;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationPlan.Move;
import io.idlalayer.middleware.cache.donation.DonationRow.TaskConditions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans the donations to the shared cache in rounds: collects the owners' task times, learns from
 * them, plans once a minute and changes the donations. It has no thread: learners call {@link
 * #round} from time to time. A call before the next round is due only reads a field. If several
 * calls come at the same time, one of them does the work.
 *
 * <p>If the task times of a type of application are known for fewer than two donations, its owners
 * try other donations, one owner at a time: a step up, or a step down if there is no space or no
 * expected gain.
 */
public final class DonationRounds {
  private static final Logger LOG = LoggerFactory.getLogger(DonationRounds.class);
  private static final int ROWS_TO_KNOW = 4;

  private final HotCache cache;
  private final DonationSettings settings;
  private final TaskTimeModels models;
  private final ProcessProbe process;
  private final DonationPlanner planner;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<DonationMember> members = new ArrayList<>();
  private volatile long nextRowNanos;
  private long nextPlanNanos;
  private long lastRowNanos;
  private long lastGcMillis;
  private double gcShare;

  /**
   * Access to the clock, the garbage collection and the memory of the process, and a receiver of
   * observed rows.
   *
   * @param nanoClock a monotonic clock, such as {@link System#nanoTime}
   * @param gcMillis milliseconds of garbage collection so far
   * @param memoryMib memory of the process, heap and cache together
   * @param rows receives every row, for inspection
   */
  public record ProcessProbe(
      LongSupplier nanoClock,
      LongSupplier gcMillis,
      DoubleSupplier memoryMib,
      Consumer<DonationRow> rows) {}

  /**
   * Creates rounds for a cache and starts to measure its hit curve.
   *
   * @param models task-time models, which from now on only this object uses
   */
  public DonationRounds(
      HotCache cache, DonationSettings settings, TaskTimeModels models, ProcessProbe process) {
    this.cache = cache;
    this.settings = settings;
    this.models = models;
    this.process = process;
    planner = new DonationPlanner(settings);
    cache.measure();
    long now = process.nanoClock().getAsLong();
    lastRowNanos = now;
    lastGcMillis = process.gcMillis().getAsLong();
    nextRowNanos = now + rowNanos();
    nextPlanNanos = now + planNanos();
  }

  private long rowNanos() {
    return TimeUnit.SECONDS.toNanos(settings.rhythm().rowEverySeconds());
  }

  private long planNanos() {
    return TimeUnit.SECONDS.toNanos(settings.rhythm().planEverySeconds());
  }

  /**
   * Adds an owner whose donation the rounds will plan.
   *
   * @param owner that is attached to the cache
   * @param jobType type of application; all owners of a type share a model
   */
  public DonationMember join(CacheOwner owner, String jobType) {
    lock.lock();
    try {
      DonationMember member = new DonationMember(owner, jobType, process.nanoClock());
      members.add(member);
      return member;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes a member, whose donation stays as it is from now on; must be called before its owner is
   * detached.
   */
  public void leave(DonationMember member) {
    lock.lock();
    try {
      members.remove(member);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Collects rows, and makes and carries out a plan, if a round is due. Returns the plan, if a plan
   * was made.
   */
  public Optional<DonationPlan> round() {
    long now = process.nanoClock().getAsLong();
    if (now - nextRowNanos < 0 || !lock.tryLock()) {
      return Optional.empty();
    }
    try {
      if (now - nextRowNanos < 0) {
        return Optional.empty();
      }
      rows(now);
      nextRowNanos = now + rowNanos();
      if (members.isEmpty() || now - nextPlanNanos < 0) {
        return Optional.empty();
      }
      nextPlanNanos = now + planNanos();
      DonationPlan plan = planner.plan(request(now));
      carryOut(plan, now);
      cache.fade(now);
      return Optional.of(plan);
    } finally {
      lock.unlock();
    }
  }

  private void rows(long now) {
    long gc = process.gcMillis().getAsLong();
    double millis = Math.max(1, (now - lastRowNanos) / 1e6);
    gcShare = Math.max(0, Math.min(1, (gc - lastGcMillis) / millis));
    lastGcMillis = gc;
    lastRowNanos = now;
    double memoryMib = process.memoryMib().getAsDouble();
    for (DonationMember member : members) {
      double seconds = member.takeSeconds();
      if (!Double.isFinite(seconds) || seconds < 0) {
        continue;
      }
      if (member.hasLags()) {
        TaskConditions at = member.conditions(memoryMib, members.size(), gcShare);
        DonationRow row = new DonationRow(member.jobType(), member.donatedMib(), at, seconds);
        models.add(row);
        process.rows().accept(row);
      }
      member.remember(seconds, memoryMib);
    }
  }

  private PlanRequest request(long now) {
    double memoryMib = process.memoryMib().getAsDouble();
    long most = settings.mostMib(memoryMib, members.size());
    long given = members.stream().mapToLong(member -> member.owner().donatedBytes()).sum();
    long ceiling = (cache.ceilingBytes() - (cache.limitBytes() - given)) >> 20;
    long room = ceiling - members.stream().mapToLong(DonationMember::donatedMib).sum();
    List<PlanRequest.Owner> owners = new ArrayList<>();
    boolean probing = false;
    for (DonationMember member : members) {
      boolean mayChange = now - member.changedNanos >= planNanos();
      PlanRequest.Limits limits =
          new PlanRequest.Limits(most, mayChange ? settings.rhythm().changeMib() : 0);
      Optional<DoubleUnaryOperator> seconds = curve(member, memoryMib);
      OptionalLong probe =
          probing || !mayChange
              ? OptionalLong.empty()
              : probe(member, seconds, Math.min(room, limits.mostMib() - member.donatedMib()));
      probing |= probe.isPresent();
      owners.add(
          new PlanRequest.Owner(
              member.owner().name(),
              member.takeTasks(),
              member.donatedMib(),
              seconds.orElse(null),
              limits,
              probe));
    }
    return new PlanRequest(owners, ceiling, cache.hitCurve());
  }

  private Optional<DoubleUnaryOperator> curve(DonationMember member, double memoryMib) {
    if (!member.hasLags() || models.donationsWithRows(member.jobType(), ROWS_TO_KNOW) < 2) {
      return Optional.empty();
    }
    TaskConditions at = member.conditions(memoryMib, members.size(), gcShare);
    return models.of(member.jobType()).map(model -> mib -> model.seconds(mib, at));
  }

  /**
   * Returns a donation for a member to try because its effect is not known yet; empty if it should
   * try none.
   *
   * @param roomMib number of MiB by which the member's donation can grow
   */
  private OptionalLong probe(
      DonationMember member, Optional<DoubleUnaryOperator> seconds, long roomMib) {
    long current = member.donatedMib();
    long step = Math.min(settings.gridMib(), settings.rhythm().changeMib());
    boolean up = roomMib >= step;
    boolean down = current >= step;
    if (!member.hasLags() || seconds.isPresent()) {
      return OptionalLong.empty();
    }
    boolean wish = member.probesUp;
    member.probesUp = !wish;
    up &= wish || !down;
    return up
        ? OptionalLong.of(current + step)
        : down ? OptionalLong.of(current - step) : OptionalLong.empty();
  }

  /**
   * Changes the owners' donations as planned. Donations that shrink come first, so that the ceiling
   * is never exceeded.
   */
  private void carryOut(DonationPlan plan, long now) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      if (plan.moves().get(i).changes()) {
        order.add(i);
      }
    }
    order.sort(
        Comparator.comparingLong(
            i -> plan.moves().get(i).afterMib() - plan.moves().get(i).beforeMib()));
    for (int i : order) {
      Move move = plan.moves().get(i);
      cache.resizeUpTo(members.get(i).owner(), move.afterMib() << 20);
      members.get(i).changed(now);
      LOG.info("hot cache donation of {}", move);
    }
  }
}
