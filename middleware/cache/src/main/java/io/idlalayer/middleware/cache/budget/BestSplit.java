package io.idlalayer.middleware.cache.budget;

import io.idlalayer.middleware.cache.budget.BenefitCurve.Piece;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the division of a budget that saves the most time. Concave claims get their pieces in the
 * order of seconds saved per byte, which is the optimum of concave curves (Fox 1966); for a claim
 * of steps, each of its points is tried. So the result is the optimum if the curves of the concave
 * claims are concave. Otherwise at most one of these claims ends inside a piece of its hull, and
 * the loss compared with the optimum is at most the distance between its curve and the hull at this
 * point.
 */
final class BestSplit {
  private static final Comparator<Part> BY_WORTH =
      Comparator.comparingDouble((Part part) -> part.piece().perByte()).reversed();

  private final long budgetBytes;
  private final List<Claim> concave = new ArrayList<>();
  private final @Nullable Claim stepped;

  /** A piece of the hull of a claim. */
  private record Part(Claim claim, Piece piece) {}

  private record Filled(Map<FastUse, Long> bytes, double seconds, long left) {}

  private BestSplit(long budgetBytes, List<Claim> claims) {
    this.budgetBytes = budgetBytes;
    Claim steps = null;
    long least = 0;
    for (Claim claim : claims) {
      least += claim.leastBytes();
      if (claim.form() == Claim.Form.CONCAVE) {
        concave.add(claim);
      } else if (steps == null) {
        steps = claim;
      } else {
        throw new IllegalArgumentException(
            "%s and %s both have curves of steps; one may".formatted(steps.use(), claim.use()));
      }
    }
    if (least > budgetBytes) {
      throw new IllegalArgumentException(
          "%,d bytes of DRAM are fewer than the %,d that their uses must have"
              .formatted(budgetBytes, least));
    }
    stepped = steps;
  }

  /**
   * Returns the best split of a budget. Bytes that would save nothing stay where they are, as far
   * as that is possible.
   *
   * @param claims one claim for each use, at most one of them with steps
   * @param now bytes that each use has now
   * @throws IllegalArgumentException if the budget is less than the sum of the claims' least bytes
   */
  static FastSplit of(long budgetBytes, List<Claim> claims, FastSplit now) {
    BestSplit search = new BestSplit(budgetBytes, claims);
    Filled best = search.best();
    return search.withRest(best, claims, now);
  }

  private Filled best() {
    Claim steps = stepped;
    long least = concave.stream().mapToLong(Claim::leastBytes).sum();
    if (steps == null) {
      return fill(budgetBytes - least);
    }
    Filled best = null;
    long most = Math.min(steps.mostBytes(), budgetBytes - least);
    for (long size : steps.curve().sizes(steps.leastBytes(), most)) {
      Filled filled = fill(budgetBytes - least - size);
      double seconds = filled.seconds() + steps.seconds(size);
      if (best == null || seconds > best.seconds()) {
        filled.bytes().put(steps.use(), size);
        best = new Filled(filled.bytes(), seconds, filled.left());
      }
    }
    return java.util.Objects.requireNonNull(best, "the least of the steps is always tried");
  }

  /** Distributes further bytes among the concave claims, which already have their least bytes. */
  private Filled fill(long furtherBytes) {
    Map<FastUse, Long> bytes = new EnumMap<>(FastUse.class);
    List<Part> parts = new ArrayList<>();
    double seconds = 0;
    for (Claim claim : concave) {
      bytes.put(claim.use(), claim.leastBytes());
      seconds += claim.seconds(claim.leastBytes());
      for (Piece piece : claim.curve().hull(claim.leastBytes(), claim.mostBytes()).pieces()) {
        parts.add(new Part(claim, piece));
      }
    }
    parts.sort(BY_WORTH);
    long left = furtherBytes;
    for (Part part : parts) {
      if (left == 0 || part.piece().seconds() <= 0) {
        break;
      }
      long taken = Math.min(left, part.piece().bytes());
      bytes.merge(part.claim().use(), taken, Long::sum);
      seconds += taken * part.piece().perByte();
      left -= taken;
    }
    return new Filled(bytes, seconds, left);
  }

  /**
   * Gives bytes that save no time to the uses that have them now, and then the rest in equal parts.
   */
  private FastSplit withRest(Filled best, List<Claim> claims, FastSplit now) {
    long left = best.left();
    Map<FastUse, Long> bytes = best.bytes();
    for (Claim claim : claims) {
      long has = bytes.getOrDefault(claim.use(), 0L);
      long more = Math.min(left, Math.min(now.of(claim.use()), claim.mostBytes()) - has);
      if (more > 0) {
        bytes.put(claim.use(), has + more);
        left -= more;
      }
    }
    for (int i = 0; i < concave.size(); i++) {
      Claim claim = concave.get(i);
      long has = bytes.getOrDefault(claim.use(), 0L);
      long more = Math.min(left / (concave.size() - i), claim.mostBytes() - has);
      bytes.put(claim.use(), has + more);
      left -= more;
    }
    return new FastSplit(bytes);
  }
}
