package io.idlalayer.benchmarks.cluster;

import java.util.List;

/**
 * The nodes of a cluster and the link between them.
 *
 * @param lineParallelism accesses to lines of 64 bytes that are under way at a time on a node
 */
record ClusterSpec(
    List<Node> nodes, Medium dram, Medium nvm, Medium disk, Medium link, int lineParallelism) {
  private static final long GIB = 1L << 30;
  private static final int LINES = 16;

  /** The memory of a node, in bytes, each at least 0. */
  record Node(String name, long dramBytes, long nvmBytes) {
    Node {
      if (dramBytes < 0 || nvmBytes < 0) {
        throw new IllegalArgumentException(
            "%s with %d bytes of DRAM and %d of NVM".formatted(name, dramBytes, nvmBytes));
      }
    }
  }

  ClusterSpec {
    nodes = List.copyOf(nodes);
    if (nodes.isEmpty() || nodes.stream().map(Node::name).distinct().count() < nodes.size()) {
      throw new IllegalArgumentException(
          "nodes %s; at least one is needed, each with a name of its own"
              .formatted(nodes.stream().map(Node::name).toList()));
    }
  }

  /** Four nodes of the source, of 48 GiB of DRAM and 16 GiB of emulated persistent memory. */
  static ClusterSpec source(Medium link) {
    return of(link, 4, 48 * GIB, 16 * GIB);
  }

  /** Equal nodes with the memories of the source. */
  static ClusterSpec of(Medium link, int nodes, long dramBytes, long nvmBytes) {
    List<Node> all =
        java.util.stream.IntStream.range(0, nodes)
            .mapToObj(node -> new Node("node-" + node, dramBytes, nvmBytes))
            .toList();
    return new ClusterSpec(all, Medium.DRAM, Medium.NVM, Medium.DISK, link, LINES);
  }

  /**
   * Returns the nanoseconds of one access.
   *
   * @param from the node that accesses
   */
  double nanos(int from, Spot at, double bytes, boolean write) {
    Medium medium = medium(at.tier());
    return at.tier() == Tier.DISK || at.node() == from
        ? medium.nanos(bytes, write)
        : remote(medium).nanos(bytes, write);
  }

  /**
   * Returns whether copying bytes to DRAM first takes less time than reading them where they are.
   *
   * @param uses how often they are read
   */
  boolean copyPays(int from, Spot at, double bytes, int uses) {
    double direct = nanos(from, at, bytes, false);
    return direct + uses * dram.nanos(bytes, false) < uses * direct;
  }

  Medium medium(Tier tier) {
    return switch (tier) {
      case DRAM -> dram;
      case NVM -> nvm;
      case DISK -> disk;
    };
  }

  /**
   * Returns the speed of a memory over the link: the larger latency and the smaller bandwidth, as
   * the source's figures of DRAM behind a link have it.
   */
  Medium remote(Medium medium) {
    return new Medium(
        Math.max(link.readNanos(), medium.readNanos()),
        Math.max(link.writeNanos(), medium.writeNanos()),
        Math.min(link.readBytesPerNano(), medium.readBytesPerNano()),
        Math.min(link.writeBytesPerNano(), medium.writeBytesPerNano()));
  }

  /** Where bytes are. */
  enum Tier {
    DRAM(0),
    NVM(1),
    DISK(2);

    private final int index;

    Tier(int index) {
      this.index = index;
    }

    /** Returns the position of this one in arrays with an element for each. */
    int index() {
      return index;
    }
  }

  /** A memory of a node. */
  record Spot(int node, Tier tier) {}
}
