package io.idlalayer.benchmarks.cluster;

import io.idlalayer.benchmarks.cluster.ClusterSpec.Spot;
import io.idlalayer.benchmarks.cluster.ClusterSpec.Tier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Where the blocks of a trace are, and what moving them costs in the present stage. */
final class ClusterLayout {
  private final ClusterSpec spec;
  private final ClusterTrace trace;
  private final @Nullable Spot[] spots;
  private final long[][] used;
  private final boolean[] lost;

  /** Bytes that moved in the present stage, by node and tier, and over the link of a node. */
  private final double[][] movedNanos;

  private final double[] linkNanos;
  private final double[] faultNanos;
  private long movedBytes;

  ClusterLayout(ClusterSpec spec, ClusterTrace trace) {
    this.spec = spec;
    this.trace = trace;
    spots = new Spot[trace.blockBytes().length];
    used = new long[spec.nodes().size()][Tier.values().length];
    lost = new boolean[spec.nodes().size()];
    movedNanos = new double[spec.nodes().size()][Tier.values().length];
    linkNanos = new double[spec.nodes().size()];
    faultNanos = new double[spec.nodes().size()];
  }

  ClusterSpec spec() {
    return spec;
  }

  ClusterTrace trace() {
    return trace;
  }

  long bytes(int block) {
    return trace.blockBytes()[block];
  }

  /** Returns where a block is; null before it is created. */
  @Nullable Spot spot(int block) {
    return spots[block];
  }

  long capacity(Spot spot) {
    if (spot.tier() == Tier.DISK) {
      return Long.MAX_VALUE;
    }
    if (lost[spot.node()]) {
      return 0;
    }
    ClusterSpec.Node node = spec.nodes().get(spot.node());
    return spot.tier() == Tier.DRAM ? node.dramBytes() : node.nvmBytes();
  }

  long room(Spot spot) {
    return capacity(spot) - used[spot.node()][spot.tier().index()];
  }

  long used(Spot spot) {
    return used[spot.node()][spot.tier().index()];
  }

  /**
   * Creates a block.
   *
   * @throws IllegalStateException if there is no room, or it exists
   */
  void create(int block, Spot spot) {
    if (spots[block] != null) {
      throw new IllegalStateException("block %d exists".formatted(block));
    }
    take(block, spot);
  }

  private void take(int block, Spot spot) {
    if (room(spot) < bytes(block)) {
      throw new IllegalStateException("%s has no room for block %d".formatted(spot, block));
    }
    used[spot.node()][spot.tier().index()] += bytes(block);
    spots[block] = spot;
  }

  private void leave(int block, Spot spot) {
    used[spot.node()][spot.tier().index()] -= bytes(block);
    spots[block] = null;
  }

  /**
   * Moves a block, which takes the bandwidth of both memories and of the link.
   *
   * @throws IllegalStateException if there is no room or no such block
   */
  void move(int block, Spot to) {
    Spot from = existing(block);
    if (from.equals(to)) {
      return;
    }
    leave(block, from);
    boolean done = false;
    try {
      take(block, to);
      done = true;
    } finally {
      if (!done) {
        take(block, from);
      }
    }
    charge(block, from, to);
  }

  /** Exchanges the places of two blocks of equal size. */
  void exchange(int one, int other) {
    Spot first = existing(one);
    Spot second = existing(other);
    leave(one, first);
    leave(other, second);
    take(one, second);
    take(other, first);
    charge(one, first, second);
    charge(other, second, first);
  }

  private void charge(int block, Spot from, Spot to) {
    double bytes = bytes(block);
    movedBytes += bytes(block);
    movedNanos[from.node()][from.tier().index()] +=
        bytes / spec.medium(from.tier()).readBytesPerNano();
    movedNanos[to.node()][to.tier().index()] += bytes / spec.medium(to.tier()).writeBytesPerNano();
    if (from.node() != to.node()) {
      linkNanos[from.node()] += bytes / spec.link().readBytesPerNano();
      linkNanos[to.node()] += bytes / spec.link().readBytesPerNano();
    }
  }

  private Spot existing(int block) {
    Spot spot = spots[block];
    if (spot == null) {
      throw new IllegalStateException("there is no block %d".formatted(block));
    }
    return spot;
  }

  /** Adds time in which a node stands still, for instance for page faults. */
  void stall(int node, double nanos) {
    faultNanos[node] += nanos;
  }

  /** Returns the nanoseconds of moves that a memory of a node has had in this stage. */
  double movedNanos(int node, Tier tier) {
    return movedNanos[node][tier.index()];
  }

  double linkNanos(int node) {
    return linkNanos[node];
  }

  double stallNanos(int node) {
    return faultNanos[node];
  }

  long movedBytes() {
    return movedBytes;
  }

  /** Begins a stage. */
  void begin() {
    for (double[] each : movedNanos) {
      Arrays.fill(each, 0);
    }
    Arrays.fill(linkNanos, 0);
    Arrays.fill(faultNanos, 0);
  }

  /** Loses a node: what was on it is read again from the disk of its home. */
  void lose(int node) {
    for (int block = 0; block < spots.length; block++) {
      Spot spot = spots[block];
      if (spot != null && spot.node() == node && spot.tier() != Tier.DISK) {
        leave(block, spot);
        take(block, new Spot(node, Tier.DISK));
      }
    }
    lost[node] = true;
  }

  /** Takes a node back, with empty memories. */
  void restore(int node) {
    lost[node] = false;
  }
}
