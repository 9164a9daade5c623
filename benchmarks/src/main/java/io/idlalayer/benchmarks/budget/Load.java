package io.idlalayer.benchmarks.budget;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What a learner does in each minute, phase after phase.
 *
 * @param name for the result
 * @param contents what it does that with
 * @param phases at least one
 */
record Load(String name, Contents contents, List<Phase> phases) {
  /**
   * What the DRAM is used for.
   *
   * @param tensorBytes what all tensors of a step take
   */
  record Contents(SimulatedCache.Kind samples, SimulatedCache.Kind rows, long tensorBytes) {
    static final Contents USUAL =
        new Contents(SimulatedCache.Kind.SAMPLES, SimulatedCache.Kind.ROWS, 8L << 20);
  }

  Load(String name, List<Phase> phases) {
    this(name, Contents.USUAL, phases);
  }

  /**
   * Some minutes that are alike.
   *
   * @param minutes number of minutes
   * @param samples lookups of samples in each minute
   * @param rows lookups of rows in each minute
   * @param steps training steps in each minute
   */
  record Phase(int minutes, int samples, int rows, int steps) {}

  private static final Phase SAMPLES = new Phase(60, 2_000, 2_000, 60);
  private static final Phase ROWS = new Phase(60, 200, 10_000, 60);
  private static final Phase TENSORS = new Phase(60, 200, 2_000, 600);

  /** Returns the loads of the experiment. */
  static List<Load> all() {
    return List.of(
        new Load("samples", List.of(SAMPLES, SAMPLES)),
        new Load("rows", List.of(ROWS, ROWS)),
        new Load("tensors", List.of(TENSORS, TENSORS)),
        new Load("even", List.of(new Phase(120, 700, 4_000, 150))),
        new Load("changes each hour", List.of(SAMPLES, ROWS, TENSORS, SAMPLES)),
        new Load("changes each 5 minutes", List.of(shortened(SAMPLES), shortened(ROWS)))
            .repeated());
  }

  private static Phase shortened(Phase phase) {
    return new Phase(5, phase.samples(), phase.rows(), phase.steps());
  }

  private Load repeated() {
    List<Phase> both = phases;
    return new Load(
        name, contents, IntStream.range(0, 24).mapToObj(i -> both.get(i % both.size())).toList());
  }
}
