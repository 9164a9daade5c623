package io.idlalayer.benchmarks.cluster;

import io.idlalayer.benchmarks.cluster.ClusterSpec.Spot;
import io.idlalayer.benchmarks.cluster.ClusterSpec.Tier;
import io.idlalayer.benchmarks.cluster.ClusterTrace.Access;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * UniRedl: new blocks are split between DRAM and slower places, which are ordered by their cost
 * from the node, and DRAM that other nodes do not need is one of them. The accesses are known from
 * one pass of profiling, so blocks of the next stages are brought to DRAM ahead, in exchange for
 * those that are used latest. Moves take at most 30 % of a memory's or a link's time.
 */
final class UnifiedPlacement implements ClusterPolicy {
  private static final double MOST_SHARE = 0.3;
  private static final int WINDOW_STAGES = 4;

  private final boolean profiled;
  private double[] owed = {};
  private long[] spare = {};
  private double[] share = {};
  private int[][] next = {};

  /**
   * @param profiled whether the accesses are known; if not, DRAM comes first and nothing moves
   */
  UnifiedPlacement(boolean profiled) {
    this.profiled = profiled;
  }

  private void prepare(ClusterLayout layout) {
    if (owed.length > 0) {
      return;
    }
    ClusterSpec spec = layout.spec();
    ClusterTrace trace = layout.trace();
    int nodes = spec.nodes().size();
    owed = new double[nodes];
    spare = new long[nodes];
    share = new double[nodes];
    for (int block = 0; block < trace.blockBytes().length; block++) {
      spare[trace.homes()[block]] += trace.blockBytes()[block];
    }
    HighLowAllocation split = new HighLowAllocation(spec.dram(), spec.nvm(), trace.reads());
    for (int node = 0; node < nodes; node++) {
      double most =
          spare[node] == 0
              ? 1
              : Math.min(1, (double) spec.nodes().get(node).dramBytes() / spare[node]);
      share[node] = split.modelShare(latencyShare(spec, trace), most);
      spare[node] = Math.max(0, spec.nodes().get(node).dramBytes() - spare[node]);
    }
    next = profiled ? trace.nextUses() : new int[0][];
  }

  /** Returns the share of the time of accesses in DRAM that is latency. */
  private static double latencyShare(ClusterSpec spec, ClusterTrace trace) {
    double latency =
        trace.latencyBound()
            * spec.dram().readNanos()
            / ClusterSim.LINE_BYTES
            / spec.lineParallelism();
    double bandwidth = (1 - trace.latencyBound()) / spec.dram().readBytesPerNano();
    return latency / (latency + bandwidth);
  }

  @Override
  public void create(int block, int node, ClusterLayout layout) {
    prepare(layout);
    ClusterSpec spec = layout.spec();
    List<Spot> order = new ArrayList<>(RivalPlacements.nearestFirst(node, spec));
    if (!profiled) {
      RivalPlacements.createAt(order, block, node, layout);
      return;
    }
    Spot own = new Spot(node, Tier.DRAM);
    order.remove(own);
    long bytes = layout.bytes(block);
    double moved = bytes;
    double disk = spec.disk().nanos(moved, false);
    order.removeIf(spot -> spec.nanos(node, spot, moved, false) > disk);
    order.sort(Comparator.comparingDouble(spot -> spec.nanos(node, spot, moved, false)));
    // What other nodes need is the last choice before the disk.
    List<Spot> needed =
        order.stream()
            .filter(
                spot ->
                    spot.node() != node && (spot.tier() != Tier.DRAM || spare[spot.node()] < bytes))
            .toList();
    order.removeAll(needed);
    owed[node] += share[node];
    if (owed[node] >= 1) {
      owed[node]--;
      order.add(0, own);
    } else {
      order.add(own);
    }
    order.addAll(needed);
    RivalPlacements.createAt(order, block, node, layout);
    Spot at = layout.spot(block);
    if (at != null && at.node() != node && at.tier() == Tier.DRAM) {
      spare[at.node()] -= bytes;
    }
  }

  @Override
  public void before(int stage, double nanos, double lastNanos, ClusterLayout layout) {
    prepare(layout);
    if (!profiled || stage == 0) {
      return;
    }
    int nodes = layout.spec().nodes().size();
    double budgetNanos = MOST_SHARE * lastNanos;
    for (int node = 0; node < nodes; node++) {
      bring(node, stage, budgetNanos, layout);
    }
  }

  /** Brings blocks that a node uses in the stages after the next one to its DRAM. */
  private void bring(int node, int stage, double budgetNanos, ClusterLayout layout) {
    Spot dram = new Spot(node, Tier.DRAM);
    PriorityQueue<Integer> victims = victims(node, stage, layout);
    double left = budgetNanos;
    for (Wanted wanted : wanted(node, stage, layout)) {
      Spot from = layout.spot(wanted.block());
      if (from == null || from.equals(dram)) {
        continue;
      }
      ClusterSpec spec = layout.spec();
      double bytes = layout.bytes(wanted.block());
      double copy = spec.nanos(node, from, bytes, false) + spec.nanos(node, from, bytes, true);
      double gain =
          wanted.passes()
              * (spec.nanos(node, from, bytes, wanted.write())
                  - spec.dram().nanos(bytes, wanted.write()));
      boolean pays = from.node() == node || spec.copyPays(node, from, bytes, wanted.passes());
      if (gain <= 0 || !pays || copy > left || overloads(node, from, bytes, budgetNanos, layout)) {
        continue;
      }
      if (layout.room(dram) >= bytes) {
        layout.move(wanted.block(), dram);
      } else {
        Integer victim = victims.poll();
        if (victim == null || next[stage - 1][victim] <= stage + WINDOW_STAGES) {
          return;
        }
        if (layout.bytes(victim) != layout.bytes(wanted.block())) {
          continue;
        }
        layout.exchange(wanted.block(), victim);
      }
      left -= copy;
    }
  }

  /** Returns whether a move would take more of a link's time than moves may. */
  private static boolean overloads(
      int node, Spot from, double bytes, double budgetNanos, ClusterLayout layout) {
    // An exchange passes the link in both directions.
    double nanos = 2 * bytes / layout.spec().link().readBytesPerNano();
    return from.node() != node
        && from.tier() != Tier.DISK
        && Math.max(layout.linkNanos(node), layout.linkNanos(from.node())) + nanos > budgetNanos;
  }

  /**
   * A block that is used in the window.
   *
   * @param passes its accesses there
   */
  private record Wanted(int block, int passes, boolean write) {}

  private static List<Wanted> wanted(int node, int stage, ClusterLayout layout) {
    Map<Integer, Wanted> all = new LinkedHashMap<>();
    ClusterTrace trace = layout.trace();
    int end = Math.min(trace.stages().size(), stage + WINDOW_STAGES);
    for (int at = stage; at < end; at++) {
      for (Access access : trace.stages().get(at).accesses()) {
        if (access.node() == node) {
          all.merge(
              access.block(),
              new Wanted(access.block(), access.passes(), access.write()),
              (one, other) ->
                  new Wanted(one.block, one.passes + other.passes, one.write && other.write));
        }
      }
    }
    return List.copyOf(all.values());
  }

  /** Blocks in the node's DRAM, those that are used latest first. */
  private PriorityQueue<Integer> victims(int node, int stage, ClusterLayout layout) {
    int[] uses = next[stage - 1];
    PriorityQueue<Integer> victims =
        new PriorityQueue<>(Comparator.comparingInt(block -> -uses[block]));
    Spot dram = new Spot(node, Tier.DRAM);
    for (int block = 0; block < uses.length; block++) {
      if (dram.equals(layout.spot(block))) {
        victims.add(block);
      }
    }
    return victims;
  }
}
