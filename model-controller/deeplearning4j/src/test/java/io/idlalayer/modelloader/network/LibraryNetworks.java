package io.idlalayer.modelloader.network;

import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;

/** Frees networks that tests read with Deeplearning4j alone. */
public final class LibraryNetworks {
  private LibraryNetworks() {}

  public static void free(MultiLayerNetwork network) {
    NetworkArrays.free(network);
  }

  public static void free(ComputationGraph network) {
    NetworkArrays.free(network);
  }
}
