package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A directed graph of layers with one input and one output layer. */
public final class GraphNetwork implements ArrayNetwork {
  private final ComputationGraph graph;

  GraphNetwork(ComputationGraph graph) {
    this.graph = graph;
  }

  /**
   * Sets the learning rate and the L2 penalty of the following trainings. The updater and its state
   * stay.
   */
  void fitFromNowOn(ModelSpec.Fit fit) {
    if (ChangedFit.penalise(graph.getLayers(), fit)) {
      graph.setLearningRate(fit.learningRate());
    }
  }

  @Override
  public INDArray output(INDArray features) {
    return graph.outputSingle(features);
  }

  /** Returns Deeplearning4j's graph, for training. */
  public ComputationGraph layers() {
    return graph;
  }

  /** Returns the configuration of the output layer, which may be a loss layer; not a copy. */
  public FeedForwardLayer outputLayer() {
    return (FeedForwardLayer) graph.getOutputLayer(0).conf().getLayer();
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
    NetworkArrays.free(graph);
  }
}
