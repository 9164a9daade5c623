package io.idlalayer.modelloader.network;

import java.util.Collection;
import java.util.List;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.ParamInitializer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.memory.LayerMemoryReport;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.regularization.Regularization;

/**
 * Layer normalization (Ba 2016) of rows as a layer of its own, with learned scale and shift, as
 * PyTorch, Keras and ONNX know it. Deeplearning4j has it inside dense layers only, before their
 * bias. The layer has no activation.
 */
public final class LayerNormalization extends FeedForwardLayer {
  private static final long serialVersionUID = 1L;

  private static final double DEFAULT_EPSILON = 1e-5;

  private double eps = DEFAULT_EPSILON;

  /** Called by Deeplearning4j, which sets the sizes afterwards. */
  public LayerNormalization() {}

  private LayerNormalization(Builder builder) {
    super(builder);
    eps = builder.eps;
    initializeConstraints(builder);
  }

  /** Sets the sizes of a layer; the number of outputs is that of the inputs. */
  @SuppressWarnings("unchecked") // The method of Deeplearning4j's builders gives any layer.
  public static final class Builder extends FeedForwardLayer.Builder<Builder> {
    private double eps = DEFAULT_EPSILON;

    /** Sets the number that is added to variances. */
    public Builder eps(double number) {
      eps = number;
      return this;
    }

    @Override
    public LayerNormalization build() {
      return new LayerNormalization(this);
    }
  }

  public double getEps() {
    return eps;
  }

  public void setEps(double eps) {
    this.eps = eps;
  }

  @Override
  public LayerNormalization clone() {
    return (LayerNormalization) super.clone();
  }

  @Override
  public Layer instantiate(
      NeuralNetConfiguration conf,
      Collection<TrainingListener> listeners,
      int index,
      INDArray parameters,
      boolean initialise,
      DataType numbers) {
    LayerNormalizationLayer layer = new LayerNormalizationLayer(conf, numbers);
    layer.setListeners(listeners);
    layer.setIndex(index);
    layer.setParamsViewArray(parameters);
    layer.setParamTable(initializer().init(conf, parameters, initialise));
    layer.setConf(conf);
    return layer;
  }

  @Override
  public ParamInitializer initializer() {
    return LayerNormalizationParameters.INSTANCE;
  }

  @Override
  public InputType getOutputType(int index, InputType inputs) {
    if (!(inputs instanceof InputType.InputTypeFeedForward)) {
      throw new IllegalArgumentException(
          "layer '%s' normalizes rows, and not %s".formatted(getLayerName(), inputs));
    }
    return inputs;
  }

  @Override
  public void setNIn(InputType inputs, boolean override) {
    if (nIn <= 0 || override) {
      nIn = ((InputType.InputTypeFeedForward) getOutputType(-1, inputs)).getSize();
    }
    nOut = nIn;
  }

  @Override
  public @Nullable List<Regularization> getRegularizationByParam(String name) {
    return null;
  }

  @Override
  public IUpdater getUpdaterByParam(String name) {
    return iUpdater;
  }

  @Override
  public LayerMemoryReport getMemoryReport(InputType inputs) {
    return new LayerMemoryReport.Builder(
            getLayerName(), LayerNormalization.class, inputs, getOutputType(-1, inputs))
        .standardMemory(2 * nIn, 0)
        .workingMemory(0, 0, 0, 0)
        .cacheMemory(0, 0)
        .build();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LayerNormalization that
        && super.equals(other)
        && Double.compare(eps, that.eps) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * super.hashCode() + Double.hashCode(eps);
  }
}
