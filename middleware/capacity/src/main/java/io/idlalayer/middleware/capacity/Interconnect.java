package io.idlalayer.middleware.capacity;

/**
 * The links of a node's devices and of its memory nodes.
 *
 * @param devices number of devices, at least 1; there are as many memory nodes
 * @param deviceBytes memory of a device, above 0
 * @param links number of links of a device: 1, or an even number
 * @param linkBytesPerSecond what a link carries in each direction, above 0
 * @param linkLatencySeconds at least 0
 * @param chunkBytes bytes that a node passes on at a time in a collective, at least 0
 * @param memoryNodeBytesPerSecond what the memory of a memory node reads or writes, above 0; two
 *     devices share it
 */
public record Interconnect(
    int devices,
    long deviceBytes,
    int links,
    double linkBytesPerSecond,
    double linkLatencySeconds,
    long chunkBytes,
    double memoryNodeBytesPerSecond) {
  public Interconnect {
    if (links < 1 || (links > 1 && links % 2 != 0)) {
      throw new IllegalArgumentException(
          "a device has %d links; 1 or an even number is needed".formatted(links));
    }
    if (!(linkBytesPerSecond > 0) || !(memoryNodeBytesPerSecond > 0)) {
      throw new IllegalArgumentException(
          "links of %s and memory nodes of %s bytes per second; both must be above 0"
              .formatted(linkBytesPerSecond, memoryNodeBytesPerSecond));
    }
  }

  /** Returns the number of rings into which the links can be put, each used in both directions. */
  public int rings() {
    return Math.max(1, links / 2);
  }
}
