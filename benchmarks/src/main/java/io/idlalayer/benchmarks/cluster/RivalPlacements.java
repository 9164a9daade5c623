package io.idlalayer.benchmarks.cluster;

import io.idlalayer.benchmarks.cluster.ClusterSpec.Spot;
import io.idlalayer.benchmarks.cluster.ClusterSpec.Tier;
import io.idlalayer.benchmarks.cluster.ClusterTrace.Access;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The rivals of the source: placements of pages that know nothing of the application. */
final class RivalPlacements {
  /** Page faults for each 2 MiB that moves: 512 pages, a microsecond each, on 16 threads. */
  private static final double FAULT_NANOS = 512.0 * 1_000 / 16;

  private static final double GROUP_BYTES = 2 << 20;

  private RivalPlacements() {}

  /** Spots in the order of a node that knows only its own and other memory, then its disk. */
  static List<Spot> nearestFirst(int node, ClusterSpec spec) {
    List<Spot> spots = new ArrayList<>();
    spots.add(new Spot(node, Tier.DRAM));
    spots.add(new Spot(node, Tier.NVM));
    for (Tier tier : List.of(Tier.DRAM, Tier.NVM)) {
      for (int other = 0; other < spec.nodes().size(); other++) {
        if (other != node) {
          spots.add(new Spot(other, tier));
        }
      }
    }
    return spots;
  }

  /** Creates a block at the first spot with room, or on the disk of the node. */
  static void createAt(List<Spot> order, int block, int node, ClusterLayout layout) {
    for (Spot spot : order) {
      if (layout.room(spot) >= layout.bytes(block)) {
        layout.create(block, spot);
        return;
      }
    }
    layout.create(block, new Spot(node, Tier.DISK));
  }

  /** NUMA: DRAM first, then NVM, then other nodes; nothing moves. */
  static class FirstTouch implements ClusterPolicy {
    @Override
    public void create(int block, int node, ClusterLayout layout) {
      createAt(nearestFirst(node, layout.spec()), block, node, layout);
    }
  }

  /** NUMA-anb: each page moves to DRAM of the node that touched it last, if there is room. */
  static final class AutomaticBalancing extends FirstTouch {
    @Override
    public void touched(Access access, ClusterLayout layout) {
      Spot dram = new Spot(access.node(), Tier.DRAM);
      Spot spot = layout.spot(access.block());
      if (spot == null || spot.equals(dram)) {
        return;
      }
      layout.stall(access.node(), FAULT_NANOS * layout.bytes(access.block()) / GROUP_BYTES);
      if (layout.room(dram) >= layout.bytes(access.block())) {
        layout.move(access.block(), dram);
      }
    }
  }

  /** BMPM: pages are spread over DRAM and NVM by their bandwidths; nothing moves. */
  static final class BandwidthShares implements ClusterPolicy {
    private double[] owed = {};

    @Override
    public void create(int block, int node, ClusterLayout layout) {
      ClusterSpec spec = layout.spec();
      if (owed.length == 0) {
        owed = new double[spec.nodes().size()];
      }
      double share =
          HighLowAllocation.dramShare(
              spec.nvm().readBytesPerNano() / spec.dram().readBytesPerNano());
      List<Spot> order = new ArrayList<>(nearestFirst(node, spec));
      owed[node] += share;
      if (owed[node] >= 1) {
        owed[node]--;
      } else {
        order.set(0, new Spot(node, Tier.NVM));
        order.set(1, new Spot(node, Tier.DRAM));
      }
      createAt(order, block, node, layout);
    }
  }

  /**
   * OIM: as first touch, and each 5 s the pages of each node that were accessed most are exchanged
   * with those of its DRAM that were accessed least, as many as NVM can copy in a tenth of that
   * time.
   */
  static final class PageOrder extends FirstTouch {
    private static final double PERIOD_NANOS = 5e9;
    private static final double COPY_SHARE = 0.1;
    private double nextNanos = PERIOD_NANOS;
    private long[] uses = {};

    @Override
    public void touched(Access access, ClusterLayout layout) {
      if (uses.length == 0) {
        uses = new long[layout.trace().blockBytes().length];
      }
      uses[access.block()] += access.passes();
    }

    @Override
    public void before(int stage, double nanos, double lastNanos, ClusterLayout layout) {
      if (nanos < nextNanos || uses.length == 0) {
        return;
      }
      nextNanos = nanos + PERIOD_NANOS;
      for (int node = 0; node < layout.spec().nodes().size(); node++) {
        order(node, layout);
      }
      Arrays.fill(uses, 0);
    }

    private void order(int node, ClusterLayout layout) {
      List<Integer> fast = at(new Spot(node, Tier.DRAM), layout);
      List<Integer> slow = at(new Spot(node, Tier.NVM), layout);
      fast.sort(Comparator.comparingLong(block -> uses[block]));
      slow.sort(Comparator.comparingLong(block -> -uses[block]));
      double budget = COPY_SHARE * PERIOD_NANOS * layout.spec().nvm().readBytesPerNano();
      for (int i = 0; i < Math.min(fast.size(), slow.size()); i++) {
        int up = slow.get(i);
        int down = fast.get(i);
        if (uses[up] <= uses[down] || budget < layout.bytes(up)) {
          return;
        }
        budget -= layout.bytes(up);
        layout.exchange(up, down);
        layout.stall(node, FAULT_NANOS * layout.bytes(up) / GROUP_BYTES);
      }
    }

    private static List<Integer> at(Spot spot, ClusterLayout layout) {
      List<Integer> blocks = new ArrayList<>();
      for (int block = 0; block < layout.trace().blockBytes().length; block++) {
        if (spot.equals(layout.spot(block))) {
          blocks.add(block);
        }
      }
      return blocks;
    }
  }
}
