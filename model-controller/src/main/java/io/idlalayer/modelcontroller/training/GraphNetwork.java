package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.placement.PlacedMemory;
import io.idlalayer.modelcontroller.training.placed.PlacedNetwork;
import java.io.IOException;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A directed graph of layers with one input and one output layer. */
final class GraphNetwork implements TrainableNetwork {
  private final ComputationGraph graph;

  GraphNetwork(ComputationGraph graph) {
    this.graph = graph;
  }

  @Override
  public INDArray output(INDArray features) {
    return graph.outputSingle(features);
  }

  @Override
  public Steps plainly() {
    Dl4jSteps.Fit fit =
        (features, labels) -> graph.fit(new INDArray[] {features}, new INDArray[] {labels});
    return Dl4jSteps.plainly(outputLayer(), graph::score, fit);
  }

  @Override
  public Steps placed(PlacedMemory memory) throws InterruptedException {
    return Dl4jSteps.placed(outputLayer(), graph::score, PlacedNetwork.of(graph, memory));
  }

  private BaseOutputLayer outputLayer() {
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
