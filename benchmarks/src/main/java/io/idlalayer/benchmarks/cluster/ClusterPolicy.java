package io.idlalayer.benchmarks.cluster;

import io.idlalayer.benchmarks.cluster.ClusterTrace.Access;

/** Decides where blocks are. */
interface ClusterPolicy {
  /** Creates a block that a node accesses for the first time. */
  void create(int block, int node, ClusterLayout layout);

  /**
   * Called before a stage.
   *
   * @param nanos time since the start
   * @param lastNanos duration of the stage before
   */
  default void before(int stage, double nanos, double lastNanos, ClusterLayout layout) {}

  /** Called after an access. */
  default void touched(Access access, ClusterLayout layout) {}
}
