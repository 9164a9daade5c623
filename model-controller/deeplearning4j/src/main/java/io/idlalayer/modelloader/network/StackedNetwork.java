package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A network of layers one after the other, of which the last is an output layer. */
public final class StackedNetwork implements ArrayNetwork {
  private final MultiLayerNetwork network;

  public StackedNetwork(MultiLayerNetwork network) {
    this.network = network;
  }

  /**
   * Sets the learning rate and the L2 penalty of the following trainings. The updater and its state
   * stay.
   */
  void fitFromNowOn(ModelSpec.Fit fit) {
    if (ChangedFit.penalise(network.getLayers(), fit)) {
      network.setLearningRate(fit.learningRate());
    }
  }

  @Override
  public INDArray output(INDArray features) {
    return network.output(features, false);
  }

  /** Returns Deeplearning4j's network, for training. */
  public MultiLayerNetwork layers() {
    return network;
  }

  /** Returns the configuration of the output layer; not a copy. */
  public BaseOutputLayer outputLayer() {
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
    NetworkArrays.free(network);
  }
}
