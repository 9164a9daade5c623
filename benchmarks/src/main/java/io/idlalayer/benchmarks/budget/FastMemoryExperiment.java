package io.idlalayer.benchmarks.budget;

import io.idlalayer.jobs.learner.memory.Claimant;
import io.idlalayer.jobs.learner.memory.FastMemory;
import io.idlalayer.jobs.learner.memory.StoredSplit;
import io.idlalayer.middleware.cache.budget.FastSplit;
import io.idlalayer.middleware.cache.budget.FastUse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Compares one budget of DRAM that is divided while the load runs with fixed splits, in virtual
 * time: the product's decisions, measurements and eviction policies, without stores and devices.
 * SIMULATED.
 */
public final class FastMemoryExperiment {
  private static final long BUDGET_BYTES = 12L << 20;
  private static final int SIXTEENTHS = 16;
  private static final int SEEDS = 2;
  private static final int RANDOM_LOADS = 30;
  private static final String RANDOM = "random=";
  private static final double[] QUANTILES = {0, 0.1, 0.5, 0.9, 1};

  /** Minutes at the start that do not count, for no contender: nothing is measured yet. */
  private static final int UNCOUNTED_MINUTES = 2;

  private static final long MINUTE_MILLIS = 60_000;

  private FastMemoryExperiment() {}

  /** The seconds that each use costs, by the sixteenths of the budget that it has. */
  private static final class Fixed {
    final double[] samples = new double[SIXTEENTHS];
    final double[] rows = new double[SIXTEENTHS];
    final double[] tensors = new double[SIXTEENTHS];

    double of(int ofSamples, int ofRows) {
      return samples[ofSamples] + rows[ofRows] + tensors[SIXTEENTHS - ofSamples - ofRows];
    }
  }

  /**
   * A run in which the budget is divided.
   *
   * @param seconds what all uses cost
   * @param moves number of moves
   * @param turns number of moves that changed a use in the other direction than before
   */
  private record Divided(double seconds, int moves, int turns) {}

  /** The three uses of a run. */
  private record Uses(SimulatedCache samples, SimulatedCache rows, SimulatedTensors tensors) {
    static Uses of(Load load, long bytes, long seed, boolean measures) {
      Load.Contents contents = load.contents();
      return new Uses(
          new SimulatedCache(contents.samples(), bytes, BUDGET_BYTES, seed, measures),
          new SimulatedCache(contents.rows(), bytes, BUDGET_BYTES, ~seed, measures),
          new SimulatedTensors(bytes, contents.tensorBytes(), BUDGET_BYTES));
    }
  }

  private static double[] run(Load load, Uses uses) {
    double[] seconds = new double[3];
    int minutes = 0;
    for (Load.Phase phase : load.phases()) {
      for (int minute = 0; minute < phase.minutes(); minute++) {
        double counts = minutes++ < UNCOUNTED_MINUTES ? 0 : 1;
        seconds[0] += counts * uses.samples().lookUp(phase.samples());
        seconds[1] += counts * uses.rows().lookUp(phase.rows());
        seconds[2] += counts * uses.tensors().run(phase.steps());
      }
    }
    return seconds;
  }

  private static Fixed fixed(Load load, long seed) {
    Fixed fixed = new Fixed();
    for (int i = 1; i <= SIXTEENTHS - 2; i++) {
      long bytes = BUDGET_BYTES * i / SIXTEENTHS;
      double[] seconds = run(load, Uses.of(load, bytes, seed, false));
      fixed.samples[i] = seconds[0];
      fixed.rows[i] = seconds[1];
      fixed.tensors[i] = seconds[2];
    }
    return fixed;
  }

  private static double thirds(Load load, long seed) {
    long bytes = BUDGET_BYTES / 3;
    double[] seconds = run(load, Uses.of(load, bytes, seed, false));
    return seconds[0] + seconds[1] + seconds[2];
  }

  private static Divided divided(Load load, long seed) {
    long bytes = BUDGET_BYTES / 3;
    Uses uses = Uses.of(load, bytes, seed, true);
    List<Claimant> claimants = List.of(uses.samples(), uses.rows(), uses.tensors());
    long millis = 0;
    FastMemory memory = new FastMemory(BUDGET_BYTES, claimants, new StoredSplit(), () -> 0, millis);
    double seconds = 0;
    int moves = 0;
    int turns = 0;
    Map<FastUse, Integer> directions = new EnumMap<>(FastUse.class);
    for (Load.Phase phase : load.phases()) {
      for (int minute = 0; minute < phase.minutes(); minute++) {
        double minuteSeconds = uses.samples().lookUp(phase.samples());
        minuteSeconds += uses.rows().lookUp(phase.rows());
        minuteSeconds += uses.tensors().run(phase.steps());
        seconds += millis < UNCOUNTED_MINUTES * MINUTE_MILLIS ? 0 : minuteSeconds;
        millis += MINUTE_MILLIS;
        FastSplit before = memory.split();
        if (memory.look(millis) != null) {
          moves++;
          turns += turned(before, memory.split(), directions) ? 1 : 0;
        }
      }
    }
    return new Divided(seconds, moves, turns);
  }

  private static boolean turned(FastSplit from, FastSplit to, Map<FastUse, Integer> directions) {
    boolean turned = false;
    for (FastUse use : FastUse.values()) {
      int direction = Long.compare(to.of(use), from.of(use));
      if (direction != 0) {
        Integer before = directions.put(use, direction);
        turned |= before != null && before == -direction;
      }
    }
    return turned;
  }

  /**
   * The contenders under a load, the mean of some seeds.
   *
   * @param splits the best fixed splits, in sixteenths of the budget
   */
  private record Outcome(
      double best, String splits, double thirds, double divided, double moves, double turns) {
    /** Returns how much more the divided budget costs than the best fixed split, in percent. */
    double againstBest() {
      return 100 * (divided / best - 1);
    }

    double againstThirds() {
      return 100 * (divided / thirds - 1);
    }
  }

  private static Outcome outcome(Load load, int seeds) {
    double best = 0;
    double thirds = 0;
    double divided = 0;
    double moves = 0;
    double turns = 0;
    List<String> splits = new ArrayList<>();
    for (int seed = 1; seed <= seeds; seed++) {
      Fixed fixed = fixed(load, seed);
      double least = Double.POSITIVE_INFINITY;
      String split = "";
      for (int samples = 1; samples <= SIXTEENTHS - 2; samples++) {
        for (int rows = 1; samples + rows < SIXTEENTHS; rows++) {
          if (fixed.of(samples, rows) < least) {
            least = fixed.of(samples, rows);
            split = "%d:%d:%d".formatted(samples, rows, SIXTEENTHS - samples - rows);
          }
        }
      }
      best += least / seeds;
      splits.add(split);
      thirds += thirds(load, seed) / seeds;
      Divided run = divided(load, seed);
      divided += run.seconds() / seeds;
      moves += (double) run.moves() / seeds;
      turns += (double) run.turns() / seeds;
    }
    String all = String.join(", ", splits.stream().distinct().toList());
    return new Outcome(best, all, thirds, divided, moves, turns);
  }

  private static String row(Load load, Outcome outcome) {
    return String.format(
        Locale.ROOT,
        "| %s | %.1f | %s | %.1f | %.1f | %+.1f %% | %+.1f %% | %.1f | %.1f |",
        load.name(),
        outcome.best(),
        outcome.splits(),
        outcome.thirds(),
        outcome.divided(),
        outcome.againstBest(),
        outcome.againstThirds(),
        outcome.moves(),
        outcome.turns());
  }

  /** Returns the quantiles of a number of the outcomes. */
  private static String quantiles(
      String name, List<Outcome> outcomes, ToDoubleFunction<Outcome> number) {
    double[] sorted = outcomes.stream().mapToDouble(number).sorted().toArray();
    StringBuilder row = new StringBuilder("| ").append(name);
    for (double share : QUANTILES) {
      int at = (int) Math.round(share * (sorted.length - 1));
      row.append(String.format(Locale.ROOT, " | %+.1f", sorted[at]));
    }
    return row.append(" |").toString();
  }

  private static void distribution(List<Outcome> outcomes) {
    System.out.printf(
        Locale.ROOT,
        "%n%d of %d random loads within 5 %% of the best fixed split, %d at least 15 %% better than"
            + " thirds%n%n",
        outcomes.stream().filter(each -> each.againstBest() <= 5).count(),
        outcomes.size(),
        outcomes.stream().filter(each -> each.againstThirds() <= -15).count());
    System.out.println("| of the random loads | least | 10 % | half | 90 % | most |");
    System.out.println("|---|---|---|---|---|---|");
    System.out.println(quantiles("against the best, %", outcomes, Outcome::againstBest));
    System.out.println(quantiles("against thirds, %", outcomes, Outcome::againstThirds));
    System.out.println(quantiles("moves", outcomes, Outcome::moves));
    System.out.println(quantiles("changes of direction", outcomes, Outcome::turns));
  }

  /**
   * Prints a table of loads, and the distribution of the random ones.
   *
   * @param args names of loads, and {@code random=N} for N random loads; all loads and 30 random
   *     ones if there are none
   */
  public static void main(String[] args) {
    List<String> names = args.length == 0 ? List.of() : List.of(args);
    int random = args.length == 0 ? RANDOM_LOADS : 0;
    for (String name : names) {
      if (name.startsWith(RANDOM)) {
        random = Integer.parseInt(name.substring(RANDOM.length()));
      }
    }
    System.out.println(
        "| load | best fixed split, s | samples : rows : tensors, sixteenths | thirds, s | divided,"
            + " s | against the best | against thirds | moves | changes of direction |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    for (Load load : Load.all()) {
      if (names.isEmpty() || names.contains(load.name())) {
        System.out.println(row(load, outcome(load, SEEDS)));
      }
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (int seed = 1; seed <= random; seed++) {
      Load load = RandomLoads.of(seed);
      outcomes.add(outcome(load, 1));
      System.out.println(row(load, outcomes.get(seed - 1)));
    }
    if (random > 0) {
      distribution(outcomes);
    }
  }
}
