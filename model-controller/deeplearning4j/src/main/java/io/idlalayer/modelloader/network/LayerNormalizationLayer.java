package io.idlalayer.modelloader.network;

import java.util.Objects;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.BaseLayer;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Computes {@link LayerNormalization} in Deeplearning4j: in double precision, then rounded. */
final class LayerNormalizationLayer extends BaseLayer<LayerNormalization> {
  private static final long serialVersionUID = 1L;

  LayerNormalizationLayer(NeuralNetConfiguration conf, DataType numbers) {
    super(conf, numbers);
  }

  @Override
  public boolean isPretrainLayer() {
    return false;
  }

  @Override
  public INDArray activate(boolean training, LayerWorkspaceMgr workspaces) {
    assertInputSet(false);
    INDArray scale = getParam(LayerNormalizationParameters.SCALE);
    INDArray shift = getParam(LayerNormalizationParameters.SHIFT);
    INDArray values =
        workspaces.createUninitialized(ArrayType.ACTIVATIONS, input.dataType(), input.shape(), 'c');
    for (long row = 0; row < input.size(0); row++) {
      double[] normal = normal(row);
      for (int i = 0; i < normal.length; i++) {
        values.putScalar(row, i, normal[i] * scale.getDouble(i) + shift.getDouble(i));
      }
    }
    return values;
  }

  /** Returns the distances of a row's numbers from their mean, in standard deviations. */
  private double[] normal(long row) {
    double mean = mean(row);
    double factor = factor(row, mean);
    double[] normal = new double[Math.toIntExact(input.size(1))];
    for (int i = 0; i < normal.length; i++) {
      normal[i] = (input.getDouble(row, i) - mean) * factor;
    }
    return normal;
  }

  private double mean(long row) {
    double sum = 0;
    for (long i = 0; i < input.size(1); i++) {
      sum += input.getDouble(row, i);
    }
    return sum / input.size(1);
  }

  private double factor(long row, double mean) {
    double squares = 0;
    for (long i = 0; i < input.size(1); i++) {
      double distance = input.getDouble(row, i) - mean;
      squares += distance * distance;
    }
    return 1 / Math.sqrt(squares / input.size(1) + layerConf().getEps());
  }

  @Override
  public Pair<Gradient, INDArray> backpropGradient(INDArray errors, LayerWorkspaceMgr workspaces) {
    assertInputSet(true);
    int width = Math.toIntExact(input.size(1));
    INDArray scale = getParam(LayerNormalizationParameters.SCALE);
    double[] ofScale = new double[width];
    double[] ofShift = new double[width];
    INDArray before =
        workspaces.createUninitialized(
            ArrayType.ACTIVATION_GRAD, input.dataType(), input.shape(), 'c');
    for (long row = 0; row < input.size(0); row++) {
      double[] normal = normal(row);
      double factor = factor(row, mean(row));
      double sum = 0;
      double product = 0;
      for (int i = 0; i < width; i++) {
        double error = errors.getDouble(row, i);
        ofScale[i] += error * normal[i];
        ofShift[i] += error;
        sum += error * scale.getDouble(i);
        product += error * scale.getDouble(i) * normal[i];
      }
      for (int i = 0; i < width; i++) {
        double own = errors.getDouble(row, i) * scale.getDouble(i);
        before.putScalar(row, i, factor * (own - (sum + normal[i] * product) / width));
      }
    }
    Gradient gradient = new DefaultGradient();
    put(gradient, LayerNormalizationParameters.SCALE, ofScale);
    put(gradient, LayerNormalizationParameters.SHIFT, ofShift);
    return new Pair<>(gradient, before);
  }

  private void put(Gradient gradient, String name, double[] sums) {
    INDArray view = Objects.requireNonNull(gradientViews.get(name));
    for (int i = 0; i < sums.length; i++) {
      view.putScalar(0, i, sums[i]);
    }
    gradient.setGradientFor(name, view);
  }
}
