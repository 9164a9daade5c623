package io.idlalayer.modelloader.network;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.api.ParamInitializer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** The parameters of {@link LayerNormalization} in Deeplearning4j: scale, then shift. */
final class LayerNormalizationParameters implements ParamInitializer {
  static final LayerNormalizationParameters INSTANCE = new LayerNormalizationParameters();

  static final String SCALE = "gamma";
  static final String SHIFT = "beta";

  private LayerNormalizationParameters() {}

  @Override
  public long numParams(NeuralNetConfiguration conf) {
    return numParams(conf.getLayer());
  }

  @Override
  public long numParams(Layer layer) {
    return 2 * width(layer);
  }

  private static long width(Layer layer) {
    return ((LayerNormalization) layer).getNIn();
  }

  @Override
  public List<String> paramKeys(Layer layer) {
    return List.of(SCALE, SHIFT);
  }

  @Override
  public List<String> weightKeys(Layer layer) {
    return List.of();
  }

  @Override
  public List<String> biasKeys(Layer layer) {
    return List.of();
  }

  @Override
  public boolean isWeightParam(Layer layer, String key) {
    return false;
  }

  @Override
  public boolean isBiasParam(Layer layer, String key) {
    return false;
  }

  @Override
  public Map<String, INDArray> init(
      NeuralNetConfiguration conf, INDArray parameters, boolean initialise) {
    Map<String, INDArray> views = views(width(conf.getLayer()), parameters);
    if (initialise) {
      views.forEach((name, view) -> view.assign(name.equals(SCALE) ? 1 : 0));
    }
    views.keySet().forEach(conf::addVariable);
    return views;
  }

  @Override
  public Map<String, INDArray> getGradientsFromFlattened(
      NeuralNetConfiguration conf, INDArray gradients) {
    return views(width(conf.getLayer()), gradients);
  }

  private static Map<String, INDArray> views(long width, INDArray all) {
    INDArray flat = all.reshape(all.length());
    Map<String, INDArray> views = new LinkedHashMap<>();
    views.put(SCALE, flat.get(NDArrayIndex.interval(0, width)).reshape(1, width));
    views.put(SHIFT, flat.get(NDArrayIndex.interval(width, 2 * width)).reshape(1, width));
    return views;
  }
}
