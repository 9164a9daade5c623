package io.idlalayer.middleware.capacity;

import io.idlalayer.middleware.capacity.SystemSpec.Lane;
import io.idlalayer.middleware.capacity.SystemSpec.Ways;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The form in which memory nodes are put between the devices of a node (Kwon 2018, figure 7). The
 * rings of the first two have different lengths, and only two links of a device lead to memory.
 */
public enum Topology {
  /** Each device has a memory node of its own, which most rings visit twice. */
  STAR,
  /** Memory nodes lie between devices of the two halves of the node. */
  FOLDED,
  /** Devices and memory nodes alternate in every ring. */
  RING;

  private static final int MEMORY_LINKS = 2;

  /** Returns the name of this topology in tables. */
  public String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the number of nodes of each ring. */
  List<Integer> ringNodes(Interconnect links) {
    int devices = links.devices();
    List<Integer> nodes = new ArrayList<>();
    for (int ring = 0; ring < links.rings(); ring++) {
      nodes.add(
          switch (this) {
            case STAR -> ring == 0 ? devices : 3 * devices;
            case FOLDED -> ring == 0 ? devices : ring == 1 ? 3 * devices / 2 : 5 * devices / 2;
            case RING -> 2 * devices;
          });
    }
    return nodes;
  }

  /**
   * Returns a node of this topology.
   *
   * @param separate whether collectives have links of their own beside the transfers to memory. The
   *     paper does not say; sharing is the careful assumption
   */
  public SystemSpec system(Interconnect links, PagePlacement placement, boolean separate) {
    double all = links.links() * links.linkBytesPerSecond();
    List<Lane> lanes = new ArrayList<>();
    // A memory node serves two devices, and each device has two: in all one per device.
    int memory = lane(lanes, "memory node", links.memoryNodeBytesPerSecond());
    Ways out;
    Ways in;
    List<List<Integer>> rings;
    if (this == RING && links.links() > 1) {
      int leftOut = lane(lanes, "left, out", all / 2);
      int rightOut = lane(lanes, "right, out", all / 2);
      int leftIn = lane(lanes, "left, in", all / 2);
      int rightIn = lane(lanes, "right, in", all / 2);
      out = new Ways(List.of(leftOut, memory), List.of(rightOut, memory));
      in = new Ways(List.of(leftIn, memory), List.of(rightIn, memory));
      rings = List.of(List.of(leftIn, rightOut), List.of(rightIn, leftOut));
    } else {
      int allOut = lane(lanes, "links, out", all);
      int allIn = lane(lanes, "links, in", all);
      double toMemory = Math.min(MEMORY_LINKS, links.links()) * links.linkBytesPerSecond();
      int memoryOut = lane(lanes, "memory links, out", toMemory);
      int memoryIn = lane(lanes, "memory links, in", toMemory);
      List<Integer> outward = List.of(allOut, memoryOut, memory);
      List<Integer> inward = List.of(allIn, memoryIn, memory);
      out = new Ways(outward, outward);
      in = new Ways(inward, inward);
      rings = List.of(List.of(allOut, allIn));
    }
    if (separate) {
      rings = List.of(List.of(lane(lanes, "rings", all)));
    }
    return new SystemSpec(
        this == RING ? "ring, " + placement.title() : title(),
        links.devices(),
        links.deviceBytes(),
        lanes,
        out,
        in,
        rings,
        collective(links, ringNodes(links), all),
        placement);
  }

  /**
   * Returns a node whose tensors leave to a memory beside each device, not over its links: to the
   * host, or to a slow device of its own.
   *
   * @param outBytesPerSecond what the way to that memory carries outward, above 0
   * @param inBytesPerSecond what it carries inward, above 0
   * @param ringLinks links of a device that remain for collectives
   */
  public static SystemSpec beside(
      String name,
      Interconnect links,
      double outBytesPerSecond,
      double inBytesPerSecond,
      int ringLinks) {
    List<Lane> lanes = new ArrayList<>();
    List<Integer> out = List.of(lane(lanes, "memory, out", outBytesPerSecond));
    List<Integer> in = List.of(lane(lanes, "memory, in", inBytesPerSecond));
    double all = ringLinks * links.linkBytesPerSecond();
    List<Integer> rings = List.of(lane(lanes, "rings", all));
    return new SystemSpec(
        name,
        links.devices(),
        links.deviceBytes(),
        lanes,
        new Ways(out, out),
        new Ways(in, in),
        List.of(rings),
        collective(links, Collections.nCopies(Math.max(1, ringLinks / 2), links.devices()), all),
        PagePlacement.LOCAL);
  }

  /** Returns a node whose devices have memory for everything. */
  public static SystemSpec unlimited(String name, Interconnect links) {
    double all = links.links() * links.linkBytesPerSecond();
    return new SystemSpec(
        name,
        links.devices(),
        SystemSpec.UNLIMITED_BYTES,
        List.of(new Lane("rings", all)),
        Ways.NONE,
        Ways.NONE,
        List.of(List.of(0)),
        collective(links, Collections.nCopies(links.rings(), links.devices()), all),
        PagePlacement.LOCAL);
  }

  private static RingCollective collective(
      Interconnect links, List<Integer> nodes, double bytesPerSecond) {
    return new RingCollective(
        nodes,
        bytesPerSecond,
        links.chunkBytes(),
        links.linkBytesPerSecond(),
        links.linkLatencySeconds());
  }

  private static int lane(List<Lane> lanes, String name, double bytesPerSecond) {
    lanes.add(new Lane(name, bytesPerSecond));
    return lanes.size() - 1;
  }
}
