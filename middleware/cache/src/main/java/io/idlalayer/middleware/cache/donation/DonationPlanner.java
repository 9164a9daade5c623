package io.idlalayer.middleware.cache.donation;

import io.idlalayer.middleware.cache.donation.DonationPlan.Move;
import io.idlalayer.middleware.cache.donation.DonationPlan.Reason;
import io.idlalayer.middleware.cache.policy.HitCurve;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Decides how much memory each owner donates to the shared cache. It chooses the donations with the
 * least predicted mean task time (Rang 2021, chapter 4, algorithm 1), on a grid, within bounds and
 * the ceiling, and not too far from the present donations.
 *
 * <p>A plan is followed only if its final donations would save enough time. Each step on the way
 * takes the best donations within reach, and no step is predicted to be worse than the present
 * donations. If the measured hit curve speaks against a change, that change is refused, and the
 * rest is planned anew without it. A reduction that an owner must make because its upper bound fell
 * is always carried out. The planner has no state and is thread-safe.
 */
final class DonationPlanner {
  private static final double BYTES_PER_MIB = 1 << 20;

  private final DonationSettings settings;

  public DonationPlanner(DonationSettings settings) {
    this.settings = settings;
  }

  /** Returns a plan with a donation for each owner of the request. */
  public DonationPlan plan(PlanRequest request) {
    return new Draft(request).plan();
  }

  /** The state of one call of {@link #plan}. */
  private final class Draft {
    private final PlanRequest request;
    private final List<PlanRequest.Owner> owners;
    private final List<OwnerOptions> options = new ArrayList<>();
    private final double[] weights;
    private final @Nullable String[] vetoes;
    private final JointSearch.Choice target;
    private final double baseSeconds;
    private final double targetSeconds;

    Draft(PlanRequest request) {
      this.request = request;
      owners = request.owners();
      weights = weights(owners);
      for (int i = 0; i < owners.size(); i++) {
        options.add(new OwnerOptions(owners.get(i), weights[i], settings.gridMib()));
      }
      vetoes = new String[owners.size()];
      target = search(options.stream().map(each -> each.within(Long.MAX_VALUE)).toList());
      baseSeconds =
          meanSeconds(options.stream().mapToLong(each -> each.restMib(Long.MAX_VALUE)).toArray());
      targetSeconds = meanSeconds(target.sizes());
    }

    private JointSearch.Choice search(List<JointSearch.Options> from) {
      return JointSearch.best(from, request.ceilingMib(), JointSearch.EXACT_MAX);
    }

    DonationPlan plan() {
      boolean worthIt = targetSeconds <= (1 - settings.leastGain()) * baseSeconds;
      JointSearch.Choice choice;
      do {
        List<JointSearch.Options> open = new ArrayList<>();
        for (int i = 0; i < owners.size(); i++) {
          long change = owners.get(i).limits().changeMib();
          boolean pinned = !worthIt || vetoes[i] != null;
          open.add(pinned ? options.get(i).pinned(change) : options.get(i).within(change));
        }
        choice = search(open);
      } while (vetoed(choice.sizes()));
      long[] after = choice.sizes().clone();
      boolean[] probes = probe(after);
      List<Move> moves = new ArrayList<>();
      for (int i = 0; i < owners.size(); i++) {
        moves.add(move(i, after[i], probes[i], worthIt));
      }
      long[] before = owners.stream().mapToLong(PlanRequest.Owner::currentMib).toArray();
      return new DonationPlan(
          moves, meanSeconds(before), meanSeconds(after), targetSeconds, choice.exact());
    }

    /**
     * Excludes from the search each owner against whose move the measured hit curve speaks; returns
     * false if there is none.
     */
    private boolean vetoed(long[] after) {
      boolean any = false;
      long pool = sum(after);
      for (int i = 0; i < after.length; i++) {
        long rest = options.get(i).restMib(owners.get(i).limits().changeMib());
        if (after[i] != rest) {
          vetoes[i] = veto(rest, after[i], pool);
          any |= vetoes[i] != null;
        }
      }
      return any;
    }

    /**
     * Returns why the measured hit curve speaks against a move, as text; null if it does not.
     *
     * @param pool sum of all donations after the move
     */
    private @Nullable String veto(long from, long to, long pool) {
      HitCurve hits = request.hits();
      if (hits == null || hits.references() < settings.hits().leastReferences()) {
        return null;
      }
      double there = hits.hitRatio(pool * BYTES_PER_MIB);
      double here = hits.hitRatio((pool - to + from) * BYTES_PER_MIB);
      double steps = (double) Math.abs(to - from) / settings.gridMib();
      double threshold = settings.hits().leastShare() * steps;
      boolean refused = to > from ? there - here < threshold : here - there > threshold;
      return refused
          ? String.format(
              Locale.ROOT,
              "%d -> %d MiB refused: the hit ratio would go from %.4f to %.4f; the change that is needed is %.4f",
              from,
              to,
              here,
              there,
              threshold)
          : null;
    }

    /**
     * Changes the donations of owners whose donation would not change but which want to try another
     * donation; returns which were changed.
     */
    private boolean[] probe(long[] after) {
      boolean[] probes = new boolean[after.length];
      for (int i = 0; i < after.length; i++) {
        PlanRequest.Owner owner = owners.get(i);
        OptionalLong wish = owner.probeMib();
        if (wish.isEmpty() || after[i] != owner.currentMib() || vetoes[i] != null) {
          continue;
        }
        long mib = wish.getAsLong();
        long pool = sum(after) - after[i] + mib;
        if (mib >= 0
            && mib <= owner.limits().mostMib()
            && mib != after[i]
            && Math.abs(mib - after[i]) <= owner.limits().changeMib()
            && pool <= request.ceilingMib()) {
          vetoes[i] = veto(after[i], mib, pool);
          if (vetoes[i] == null) {
            after[i] = mib;
            probes[i] = true;
          }
        }
      }
      return probes;
    }

    private Move move(int i, long after, boolean probes, boolean worthIt) {
      PlanRequest.Owner owner = owners.get(i);
      OwnerOptions of = options.get(i);
      Reason reason = reason(i, after, probes, worthIt);
      return new Move(
          owner.name(),
          owner.currentMib(),
          after,
          target.sizes()[i],
          of.secondsAt(owner.currentMib()),
          of.secondsAt(after),
          reason,
          why(i, reason));
    }

    private Reason reason(int i, long after, boolean probes, boolean worthIt) {
      PlanRequest.Owner owner = owners.get(i);
      if (options.get(i).forced()) {
        return Reason.ABOVE_BOUND;
      }
      if (probes) {
        return Reason.PROBE;
      }
      if (vetoes[i] != null) {
        return Reason.VETO;
      }
      if (!options.get(i).ready()) {
        return Reason.NOT_READY;
      }
      if (after != owner.currentMib()) {
        return Reason.BETTER;
      }
      boolean wouldMove = target.sizes()[i] != owner.currentMib();
      return !worthIt && wouldMove ? Reason.GAIN_TOO_SMALL : Reason.BEST;
    }

    private String why(int i, Reason reason) {
      PlanRequest.Limits limits = owners.get(i).limits();
      return switch (reason) {
        case BETTER -> "the best donation within a change of " + limits.changeMib() + " MiB";
        case BEST -> "no donation within a change of " + limits.changeMib() + " MiB is better";
        case NOT_READY -> "no model yet";
        case PROBE -> "to learn what this donation does";
        case GAIN_TOO_SMALL ->
            String.format(
                Locale.ROOT,
                "%.6g -> %.6g s at best saves less than %.1f %%",
                baseSeconds,
                targetSeconds,
                100 * settings.leastGain());
        case VETO -> String.valueOf(vetoes[i]);
        case ABOVE_BOUND -> "at most " + limits.mostMib() + " MiB may be given";
      };
    }

    /** Returns the predicted mean task time, weighted by tasks, over the owners with a model. */
    private double meanSeconds(long[] donations) {
      double sum = 0;
      double of = 0;
      for (int i = 0; i < donations.length; i++) {
        if (options.get(i).ready()) {
          sum += weights[i] * options.get(i).secondsAt(donations[i]);
          of += weights[i];
        }
      }
      return of == 0 ? Double.NaN : sum / of;
    }
  }

  private static double[] weights(List<PlanRequest.Owner> owners) {
    double sum = owners.stream().mapToDouble(PlanRequest.Owner::tasks).sum();
    return owners.stream()
        .mapToDouble(owner -> sum > 0 ? owner.tasks() / sum : 1.0 / owners.size())
        .toArray();
  }

  private static long sum(long[] values) {
    long sum = 0;
    for (long value : values) {
      sum += value;
    }
    return sum;
  }
}
