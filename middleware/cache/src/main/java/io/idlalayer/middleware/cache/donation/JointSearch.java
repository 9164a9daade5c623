package io.idlalayer.middleware.cache.donation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds one size for each owner so that the sizes together fit under a ceiling at the least total
 * cost: a multiple-choice knapsack. The search is exact as long as its frontier is small, that is,
 * the set of choices that no other choice beats in both size and cost. Otherwise the search is
 * greedy: it begins with the first option of each owner, which together must fit. Then, again and
 * again, one owner takes the option that saves the most cost and still fits, until no option saves
 * anything.
 */
final class JointSearch {
  /**
   * Most combinations, of partial choices with the options of one more owner, for which the search
   * is exact.
   */
  static final int EXACT_MAX = 1 << 17;

  private JointSearch() {}

  /**
   * The sizes that one owner can choose from, each with its cost.
   *
   * @param sizes sizes, not negative; the first is the default
   * @param costs costs, finite, one for each size
   */
  record Options(long[] sizes, double[] costs) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Options o
          && Arrays.equals(sizes, o.sizes)
          && Arrays.equals(costs, o.costs);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(sizes);
    }

    @Override
    public String toString() {
      return Arrays.toString(sizes) + " at " + Arrays.toString(costs);
    }
  }

  /**
   * The result of the search: a size for each owner, and whether it is the optimum.
   *
   * @param sizes one size for each owner
   */
  record Choice(long[] sizes, boolean exact) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Choice o && exact == o.exact && Arrays.equals(sizes, o.sizes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(sizes);
    }

    @Override
    public String toString() {
      return Arrays.toString(sizes) + (exact ? "" : " (greedy)");
    }
  }

  private record State(long size, double cost, @Nullable State before, long chosen) {}

  /**
   * Returns the cheapest sizes that fit under the ceiling.
   *
   * @throws IllegalArgumentException if the first options do not fit under the ceiling
   */
  static Choice best(List<Options> owners, long ceiling, int exactMax) {
    long least = owners.stream().mapToLong(each -> each.sizes()[0]).sum();
    if (least > ceiling) {
      throw new IllegalArgumentException(
          least + ", the sum of the owners' first sizes, exceeds the ceiling of " + ceiling);
    }
    List<State> frontier = List.of(new State(0, 0, null, 0));
    for (Options owner : owners) {
      if ((long) frontier.size() * owner.sizes().length > exactMax) {
        return new Choice(greedy(owners, ceiling), false);
      }
      frontier = extended(frontier, owner, ceiling);
    }
    State at = frontier.get(frontier.size() - 1);
    long[] sizes = new long[owners.size()];
    for (int i = sizes.length - 1; i >= 0; i--) {
      sizes[i] = at.chosen();
      at = at.before() == null ? at : at.before();
    }
    return new Choice(sizes, true);
  }

  /**
   * Returns the partial choices extended by one more owner, without choices that another choice
   * beats in size and cost, sorted by growing size and falling cost.
   */
  private static List<State> extended(List<State> frontier, Options owner, long ceiling) {
    List<State> all = new ArrayList<>();
    for (State state : frontier) {
      for (int i = 0; i < owner.sizes().length; i++) {
        long size = state.size() + owner.sizes()[i];
        if (size <= ceiling) {
          all.add(new State(size, state.cost() + owner.costs()[i], state, owner.sizes()[i]));
        }
      }
    }
    all.sort(Comparator.comparingLong(State::size).thenComparingDouble(State::cost));
    List<State> undominated = new ArrayList<>();
    for (State state : all) {
      if (undominated.isEmpty() || state.cost() < undominated.get(undominated.size() - 1).cost()) {
        undominated.add(state);
      }
    }
    return undominated;
  }

  private static long[] greedy(List<Options> owners, long ceiling) {
    int[] chosen = new int[owners.size()];
    long size = owners.stream().mapToLong(each -> each.sizes()[0]).sum();
    while (true) {
      int who = -1;
      int what = 0;
      double most = 0;
      for (int i = 0; i < chosen.length; i++) {
        Options owner = owners.get(i);
        for (int j = 0; j < owner.sizes().length; j++) {
          double saving = owner.costs()[chosen[i]] - owner.costs()[j];
          boolean fits = size - owner.sizes()[chosen[i]] + owner.sizes()[j] <= ceiling;
          if (fits && saving > most) {
            most = saving;
            who = i;
            what = j;
          }
        }
      }
      if (who < 0) {
        break;
      }
      size += owners.get(who).sizes()[what] - owners.get(who).sizes()[chosen[who]];
      chosen[who] = what;
    }
    long[] sizes = new long[chosen.length];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = owners.get(i).sizes()[chosen[i]];
    }
    return sizes;
  }
}
