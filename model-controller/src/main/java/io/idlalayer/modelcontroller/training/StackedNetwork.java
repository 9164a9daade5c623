package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.placement.PlacedMemory;
import io.idlalayer.modelcontroller.training.placed.PlacedNetwork;
import java.io.IOException;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Layers one after the other, of which the last is an output layer. */
final class StackedNetwork implements TrainableNetwork {
  private final MultiLayerNetwork network;

  StackedNetwork(MultiLayerNetwork network) {
    this.network = network;
  }

  @Override
  public INDArray output(INDArray features) {
    return network.output(features, false);
  }

  @Override
  public Steps plainly() {
    return Dl4jSteps.plainly(outputLayer(), network::score, network::fit);
  }

  @Override
  public Steps placed(PlacedMemory memory) throws InterruptedException {
    return Dl4jSteps.placed(outputLayer(), network::score, PlacedNetwork.of(network, memory));
  }

  private BaseOutputLayer outputLayer() {
    return (BaseOutputLayer) network.getOutputLayer().conf().getLayer();
  }

  @Override
  public boolean finite() {
    return NetworkZip.finite(network.params())
        && NetworkZip.finite(network.getUpdater().getStateViewArray());
  }

  @Override
  public byte[] encode() throws IOException {
    return NetworkZip.encode(
        network.getLayerWiseConfigurations().toJson(),
        network.params(),
        network.getUpdater().getStateViewArray());
  }

  @Override
  public void close() {
    network.close();
  }
}
