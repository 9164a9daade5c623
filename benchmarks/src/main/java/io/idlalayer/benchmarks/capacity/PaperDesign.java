package io.idlalayer.benchmarks.capacity;

import io.idlalayer.middleware.capacity.Interconnect;
import io.idlalayer.middleware.capacity.PagePlacement;
import io.idlalayer.middleware.capacity.SystemSpec;
import io.idlalayer.middleware.capacity.Topology;

/** The designs of MC-DLA: a node of devices whose tensors go to the host or to memory nodes. */
enum PaperDesign {
  /** Devices overlay to the host over PCIe. */
  DC("DC-DLA"),
  /** Devices overlay to the host over half of their links. */
  HC("HC-DLA"),
  /** Each device has a memory node at a star's end. */
  S("MC-DLA(S)"),
  /** Rings of devices and memory nodes; pages on one neighbour. */
  L("MC-DLA(L)"),
  /** Rings of devices and memory nodes; pages on both neighbours. */
  B("MC-DLA(B)"),
  /** Devices with memory for everything. */
  O("DC-DLA(O)");

  private final String title;

  PaperDesign(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /**
   * @param pcieBytesPerSecond between a device and its host, in each direction
   * @param separate whether collectives have links of their own
   */
  SystemSpec system(Interconnect links, double pcieBytesPerSecond, boolean separate) {
    int half = links.links() / 2;
    double halfRate = half * links.linkBytesPerSecond();
    return switch (this) {
      case DC ->
          Topology.beside(title, links, pcieBytesPerSecond, pcieBytesPerSecond, links.links());
      case HC -> Topology.beside(title, links, halfRate, halfRate, half);
      case S -> Topology.STAR.system(links, PagePlacement.LOCAL, separate);
      case L -> Topology.RING.system(links, PagePlacement.LOCAL, separate);
      case B -> Topology.RING.system(links, PagePlacement.BW_AWARE, separate);
      case O -> Topology.unlimited(title, links);
    };
  }
}
