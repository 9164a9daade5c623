package io.idlalayer.benchmarks.cache;

import java.util.ArrayList;
import java.util.List;

/**
 * The data of a computation by several executors, in numbered blocks, and a log of the blocks that
 * they read. A computation reaches its data by {@link #read} only, so the log is what it read.
 *
 * <p>A block never changes. Data that changes from step to step (centroids, vectors, ranks) is
 * added anew as other blocks, since a cache must not answer with what is out of date.
 *
 * <p>Between two barriers the executors work side by side: their reads are interleaved one by one.
 */
final class BlockLog {
  /** An executor reads a block. */
  record Reference(int executor, int block) {}

  private final List<double[]> blocks = new ArrayList<>();
  private final List<Reference> references = new ArrayList<>();
  private final List<List<Integer>> step = new ArrayList<>();

  BlockLog(int executors) {
    for (int i = 0; i < executors; i++) {
      step.add(new ArrayList<>());
    }
  }

  int executors() {
    return step.size();
  }

  /** Adds a block and returns its number. */
  int add(double[] data) {
    blocks.add(data);
    return blocks.size() - 1;
  }

  /** What the block holds; to be left as it is. */
  double[] read(int executor, int block) {
    step.get(executor).add(block);
    return blocks.get(block);
  }

  /** All executors have ended their step. */
  void barrier() {
    int longest = step.stream().mapToInt(List::size).max().orElse(0);
    for (int i = 0; i < longest; i++) {
      for (int executor = 0; executor < step.size(); executor++) {
        if (i < step.get(executor).size()) {
          references.add(new Reference(executor, step.get(executor).get(i)));
        }
      }
    }
    step.forEach(List::clear);
  }

  /** Everything read before the last barrier, in order. */
  List<Reference> references() {
    return List.copyOf(references);
  }
}
