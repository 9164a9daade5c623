package io.idlalayer.modelloader.network;

import java.io.IOException;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A directed graph of layers with one input and one output layer. */
public final class GraphNetwork implements ArrayNetwork {
  private final ComputationGraph graph;

  GraphNetwork(ComputationGraph graph) {
    this.graph = graph;
  }

  @Override
  public INDArray output(INDArray features) {
    return graph.outputSingle(features);
  }

  /** The graph itself, for training. */
  public ComputationGraph layers() {
    return graph;
  }

  /** The configuration of its output layer; not a copy. */
  public BaseOutputLayer outputLayer() {
    return (BaseOutputLayer) graph.getOutputLayer(0).conf().getLayer();
  }

  @Override
  public boolean finite() {
    return NetworkZip.finite(graph.params())
        && NetworkZip.finite(graph.getUpdater().getStateViewArray());
  }

  @Override
  public byte[] encode() throws IOException {
    return NetworkZip.encode(
        graph.getConfiguration().toJson(), graph.params(), graph.getUpdater().getStateViewArray());
  }

  @Override
  public void close() {
    graph.close();
  }
}
