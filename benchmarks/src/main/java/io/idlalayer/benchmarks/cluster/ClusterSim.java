package io.idlalayer.benchmarks.cluster;

import io.idlalayer.benchmarks.cluster.ClusterSpec.Spot;
import io.idlalayer.benchmarks.cluster.ClusterSpec.Tier;
import io.idlalayer.benchmarks.cluster.ClusterTrace.Access;
import io.idlalayer.benchmarks.cluster.ClusterTrace.Stage;

/**
 * Runs a trace on a cluster in virtual time. The memories of a node are read at the same time, so
 * the bandwidth-bound part of a stage takes as long as the slowest of them; the latency-bound part
 * adds up. Moves use the same memories and take time only if a memory or link has more to do than
 * the stage lasts.
 */
final class ClusterSim {
  /** Bytes that a load reads at a time. */
  static final double LINE_BYTES = 64;

  private static final double REQUEST_BYTES = 1 << 20;

  /** From this latency on, accesses are requests and not loads of lines. */
  private static final double REQUEST_NANOS = 10_000;

  private static final double EARLY_NANOS = 25e9;

  private ClusterSim() {}

  /**
   * What a run took.
   *
   * @param seconds virtual seconds
   * @param earlyLocality share of accessed bytes in DRAM of the accessing node, in the stages that
   *     begin within 25 s
   * @param locality the same of the whole run
   * @param bytesPerNano accessed bytes by time
   * @param movedBytes bytes that were moved
   */
  record Result(
      double seconds,
      double earlyLocality,
      double locality,
      double bytesPerNano,
      long movedBytes) {}

  /** Runs a trace. */
  static Result run(ClusterTrace trace, ClusterSpec spec, ClusterPolicy policy) {
    ClusterLayout layout = new ClusterLayout(spec, trace);
    double now = 0;
    double last = 0;
    double accessed = 0;
    double local = 0;
    double early = 0;
    double earlyLocal = 0;
    for (int stage = 0; stage < trace.stages().size(); stage++) {
      layout.begin();
      policy.before(stage, now, last, layout);
      Stage each = trace.stages().get(stage);
      Load[] loads = new Load[spec.nodes().size()];
      for (int node = 0; node < loads.length; node++) {
        loads[node] = new Load(spec, trace.latencyBound());
      }
      double bytes = 0;
      double here = 0;
      for (Access access : each.accesses()) {
        if (layout.spot(access.block()) == null) {
          policy.create(access.block(), access.node(), layout);
        }
        Spot spot = layout.spot(access.block());
        if (spot == null) {
          throw new IllegalStateException("block %d was not created".formatted(access.block()));
        }
        double count = (double) access.passes() * layout.bytes(access.block());
        loads[access.node()].add(access, spot, count);
        bytes += count;
        here += spot.equals(new Spot(access.node(), Tier.DRAM)) ? count : 0;
        policy.touched(access, layout);
      }
      last = 0;
      for (int node = 0; node < loads.length; node++) {
        last = Math.max(last, loads[node].nanos(each.computeNanos(), node, layout));
      }
      accessed += bytes;
      local += here;
      if (now < EARLY_NANOS) {
        early += bytes;
        earlyLocal += here;
      }
      now += last;
    }
    return new Result(
        now / 1e9,
        early == 0 ? 0 : earlyLocal / early,
        accessed == 0 ? 0 : local / accessed,
        now == 0 ? 0 : accessed / now,
        layout.movedBytes());
  }

  /** What a node accesses in a stage. */
  private static final class Load {
    private final ClusterSpec spec;
    private final double latencyBound;
    private final double[] localNanos = new double[Tier.values().length];
    private double remoteNanos;
    private double latencyNanos;
    private double requestNanos;

    Load(ClusterSpec spec, double latencyBound) {
      this.spec = spec;
      this.latencyBound = latencyBound;
    }

    void add(Access access, Spot spot, double bytes) {
      boolean remote = spot.node() != access.node() && spot.tier() != Tier.DISK;
      Medium medium = spec.medium(spot.tier());
      medium = remote ? spec.remote(medium) : medium;
      double moving =
          access.write() ? bytes / medium.writeBytesPerNano() : bytes / medium.readBytesPerNano();
      double latency = access.write() ? medium.writeNanos() : medium.readNanos();
      if (remote) {
        remoteNanos += moving;
      } else {
        localNanos[spot.tier().index()] += moving;
      }
      if (latency >= REQUEST_NANOS) {
        requestNanos += latency * bytes / REQUEST_BYTES;
      } else {
        latencyNanos += latency * bytes / LINE_BYTES / spec.lineParallelism();
      }
    }

    double nanos(double computeNanos, int node, ClusterLayout layout) {
      double bandwidth = remoteNanos;
      double busiest = remoteNanos + layout.linkNanos(node);
      for (Tier tier : Tier.values()) {
        double own = localNanos[tier.index()];
        bandwidth = Math.max(bandwidth, own);
        busiest = Math.max(busiest, own + layout.movedNanos(node, tier));
      }
      double accesses = (1 - latencyBound) * bandwidth + latencyBound * latencyNanos + requestNanos;
      return Math.max(computeNanos + accesses, busiest) + layout.stallNanos(node);
    }
  }
}
