package io.idlalayer.benchmarks.budget;

import io.idlalayer.jobs.learner.memory.FastMemory;
import io.idlalayer.jobs.learner.memory.StoredSplit;
import io.idlalayer.middleware.cache.budget.FastSplit;
import io.idlalayer.middleware.cache.budget.FastUse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Compares one budget of DRAM that is divided while the load runs with fixed splits, in virtual
 * time: the product's decisions, measurements and eviction policies, without stores and devices.
 * SIMULATED.
 */
public final class FastMemoryExperiment {
  private static final long BUDGET_BYTES = 12L << 20;
  private static final long TENSOR_BYTES = 8L << 20;
  private static final int SIXTEENTHS = 16;
  private static final int SEEDS = 2;

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

  private static SimulatedCache samples(long bytes, long seed, boolean measures) {
    return new SimulatedCache(SimulatedCache.Kind.SAMPLES, bytes, BUDGET_BYTES, seed, measures);
  }

  private static SimulatedCache rows(long bytes, long seed, boolean measures) {
    return new SimulatedCache(SimulatedCache.Kind.ROWS, bytes, BUDGET_BYTES, ~seed, measures);
  }

  private static SimulatedTensors tensors(long bytes) {
    return new SimulatedTensors(bytes, TENSOR_BYTES, BUDGET_BYTES);
  }

  private static double[] run(
      Load load, SimulatedCache samples, SimulatedCache rows, SimulatedTensors tensors) {
    double[] seconds = new double[3];
    int minutes = 0;
    for (Load.Phase phase : load.phases()) {
      for (int minute = 0; minute < phase.minutes(); minute++) {
        double counts = minutes++ < UNCOUNTED_MINUTES ? 0 : 1;
        seconds[0] += counts * samples.lookUp(phase.samples());
        seconds[1] += counts * rows.lookUp(phase.rows());
        seconds[2] += counts * tensors.run(phase.steps());
      }
    }
    return seconds;
  }

  private static Fixed fixed(Load load, long seed) {
    Fixed fixed = new Fixed();
    for (int i = 1; i <= SIXTEENTHS - 2; i++) {
      long bytes = BUDGET_BYTES * i / SIXTEENTHS;
      double[] seconds =
          run(load, samples(bytes, seed, false), rows(bytes, seed, false), tensors(bytes));
      fixed.samples[i] = seconds[0];
      fixed.rows[i] = seconds[1];
      fixed.tensors[i] = seconds[2];
    }
    return fixed;
  }

  private static double thirds(Load load, long seed) {
    long bytes = BUDGET_BYTES / 3;
    double[] seconds =
        run(load, samples(bytes, seed, false), rows(bytes, seed, false), tensors(bytes));
    return seconds[0] + seconds[1] + seconds[2];
  }

  private static Divided divided(Load load, long seed) {
    long bytes = BUDGET_BYTES / 3;
    SimulatedCache samples = samples(bytes, seed, true);
    SimulatedCache rows = rows(bytes, seed, true);
    SimulatedTensors tensors = tensors(bytes);
    long millis = 0;
    FastMemory memory =
        new FastMemory(
            BUDGET_BYTES, List.of(samples, rows, tensors), new StoredSplit(), () -> 0, millis);
    double seconds = 0;
    int moves = 0;
    int turns = 0;
    Map<FastUse, Integer> directions = new EnumMap<>(FastUse.class);
    for (Load.Phase phase : load.phases()) {
      for (int minute = 0; minute < phase.minutes(); minute++) {
        double minuteSeconds = samples.lookUp(phase.samples()) + rows.lookUp(phase.rows());
        minuteSeconds += tensors.run(phase.steps());
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

  private static String row(Load load) {
    double best = 0;
    double thirds = 0;
    double divided = 0;
    double moves = 0;
    double turns = 0;
    List<String> splits = new ArrayList<>();
    for (int seed = 1; seed <= SEEDS; seed++) {
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
      best += least / SEEDS;
      splits.add(split);
      thirds += thirds(load, seed) / SEEDS;
      Divided run = divided(load, seed);
      divided += run.seconds() / SEEDS;
      moves += (double) run.moves() / SEEDS;
      turns += (double) run.turns() / SEEDS;
    }
    return String.format(
        Locale.ROOT,
        "| %s | %.1f | %s | %.1f | %.1f | %+.1f %% | %+.1f %% | %.1f | %.1f |",
        load.name(),
        best,
        String.join(", ", splits.stream().distinct().toList()),
        thirds,
        divided,
        100 * (divided / best - 1),
        100 * (divided / thirds - 1),
        moves,
        turns);
  }

  /**
   * Prints a table of loads.
   *
   * @param names names of the loads; all if there are none
   */
  public static void main(String[] names) {
    System.out.println(
        "| load | best fixed split, s | samples : rows : tensors, sixteenths | thirds, s | divided, s | against the best | against thirds | moves | changes of direction |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    for (Load load : Load.all()) {
      if (names.length == 0 || List.of(names).contains(load.name())) {
        System.out.println(row(load));
      }
    }
  }
}
