package io.idlalayer.benchmarks.cluster;

import java.util.List;

/**
 * The accesses of an application.
 *
 * @param name for tables
 * @param blockBytes sizes of the blocks
 * @param homes node that creates each block
 * @param stages the stages, one after the other; all nodes end one before the next begins
 * @param latencyBound share of accesses that wait for latency, 0 to 1
 * @param reads share of reads among the accesses, for policies that profile
 * @param period stages after which the accesses repeat; 0 if they do not
 */
record ClusterTrace(
    String name,
    long[] blockBytes,
    int[] homes,
    List<Stage> stages,
    double latencyBound,
    double reads,
    int period) {
  /**
   * An access of a node to a whole block.
   *
   * @param passes how often its bytes are read or written
   */
  record Access(int node, int block, boolean write, int passes) {}

  /**
   * A stage.
   *
   * @param computeNanos time of a node beside its accesses
   */
  record Stage(List<Access> accesses, double computeNanos) {
    Stage {
      accesses = List.copyOf(accesses);
    }
  }

  /**
   * Returns the stage of the next access to each block after each stage; the largest number if
   * there is none.
   */
  int[][] nextUses() {
    int[][] next = new int[stages.size()][];
    int[] later = new int[blockBytes.length];
    java.util.Arrays.fill(later, Integer.MAX_VALUE);
    for (int stage = stages.size() - 1; stage >= 0; stage--) {
      next[stage] = later.clone();
      for (Access access : stages.get(stage).accesses()) {
        later[access.block()] = stage;
      }
    }
    return next;
  }
}
