package io.idlalayer.middleware.capacity;

import java.util.List;

/**
 * Collective operations over rings of nodes that are used in both directions, after Kwon 2018. The
 * payload is divided equally among the rings, so the slowest ring counts.
 *
 * @param ringNodes number of nodes of each ring, at least 1; a node that a ring visits twice counts
 *     twice
 * @param bytesPerSecond what a node sends over all rings together, in both directions, above 0
 * @param chunkBytes bytes that a node passes on at a time, at least 0
 * @param linkBytesPerSecond what one link carries in one direction, above 0
 * @param linkLatencySeconds time until the first byte arrives, at least 0
 */
public record RingCollective(
    List<Integer> ringNodes,
    double bytesPerSecond,
    long chunkBytes,
    double linkBytesPerSecond,
    double linkLatencySeconds) {

  public RingCollective {
    ringNodes = List.copyOf(ringNodes);
    if (ringNodes.isEmpty() || ringNodes.stream().anyMatch(nodes -> nodes < 1)) {
      throw new IllegalArgumentException(
          "rings of %s nodes; at least one ring of one node is needed".formatted(ringNodes));
    }
    if (!(bytesPerSecond > 0) || !(linkBytesPerSecond > 0)) {
      throw new IllegalArgumentException(
          "rings of %s bytes per second over links of %s; both must be above 0"
              .formatted(bytesPerSecond, linkBytesPerSecond));
    }
    if (chunkBytes < 0 || !(linkLatencySeconds >= 0)) {
      throw new IllegalArgumentException(
          "chunks of %d bytes and a latency of %s s; none may be negative"
              .formatted(chunkBytes, linkLatencySeconds));
    }
  }

  /** Collective operations. */
  public enum Operation {
    /** Every node gets the sum of what all nodes have. */
    ALL_REDUCE,
    /** Every node gets what all nodes have, one after another. */
    ALL_GATHER,
    /** Every node gets what one node has. */
    BROADCAST
  }

  /**
   * Returns the bytes that each node sends for an operation, over all rings together.
   *
   * @param payloadBytes bytes of the whole result, at least 0
   */
  public double sentBytes(Operation operation, long payloadBytes) {
    double most = 0;
    for (int nodes : ringNodes) {
      most = Math.max(most, share(operation, nodes));
    }
    return most * payloadBytes;
  }

  private static double share(Operation operation, int nodes) {
    double others = (nodes - 1.0) / nodes;
    return switch (operation) {
      case ALL_REDUCE -> 2 * others;
      case ALL_GATHER -> others;
      case BROADCAST -> nodes == 1 ? 0 : 1;
    };
  }

  /** Returns the seconds that an operation takes beside the sending: its hops. */
  public double hopSeconds(Operation operation) {
    double chunk = chunkBytes / linkBytesPerSecond;
    double hop = chunk + linkLatencySeconds;
    double most = 0;
    for (int nodes : ringNodes) {
      double seconds =
          switch (operation) {
            case ALL_REDUCE -> 2 * (nodes - 1) * hop;
            case ALL_GATHER -> (nodes - 1) * hop;
            case BROADCAST -> Math.max(0, nodes - 2) * chunk + (nodes - 1) * hop;
          };
      most = Math.max(most, seconds);
    }
    return most;
  }

  /** Returns the seconds of an operation on links that carry nothing else. */
  public double seconds(Operation operation, long payloadBytes) {
    return sentBytes(operation, payloadBytes) / bytesPerSecond + hopSeconds(operation);
  }
}
