package io.idlalayer.modelloader.network;

import java.util.Locale;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.MaskState;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.BaseGraphVertex;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Computes {@link PairwiseDots} in Deeplearning4j: in double precision, then rounded. */
@SuppressWarnings("overrides") // A method of the superclass in Deeplearning4j requires it.
final class PairwiseDotsVertex extends BaseGraphVertex {
  private static final long serialVersionUID = 1L;

  private final int dim;

  PairwiseDotsVertex(ComputationGraph graph, String name, int index, int dim, DataType numbers) {
    super(graph, name, index, null, null, numbers);
    this.dim = dim;
  }

  @Override
  public boolean hasLayer() {
    return false;
  }

  @Override
  public @Nullable Layer getLayer() {
    return null;
  }

  @Override
  public INDArray doForward(boolean training, LayerWorkspaceMgr workspaces) {
    if (!canDoForward()) {
      throw new IllegalStateException("vertex '" + vertexName + "' has no input");
    }
    int rows = Math.toIntExact(inputs[0].size(0));
    double[] vectors = vectors(rows);
    int count = vectors.length / (rows * dim);
    int pairs = PairwiseDots.pairs(count);
    double[] dots = new double[rows * pairs];
    for (int row = 0, at = 0; row < rows; row++) {
      int from = row * count * dim;
      for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
          dots[at++] = dot(vectors, from + i * dim, from + j * dim);
        }
      }
    }
    return array(dots, rows, ArrayType.ACTIVATIONS, workspaces);
  }

  private double dot(double[] vectors, int one, int other) {
    double sum = 0;
    for (int k = 0; k < dim; k++) {
      sum += vectors[one + k] * vectors[other + k];
    }
    return sum;
  }

  @Override
  public Pair<Gradient, INDArray[]> doBackward(boolean tbptt, LayerWorkspaceMgr workspaces) {
    if (!canDoBackward()) {
      throw new IllegalStateException("vertex '" + vertexName + "' has no errors");
    }
    int rows = Math.toIntExact(inputs[0].size(0));
    double[] vectors = vectors(rows);
    double[] errors = values(epsilon);
    double[] before = new double[vectors.length];
    int count = vectors.length / (rows * dim);
    for (int row = 0, at = 0; row < rows; row++) {
      int from = row * count * dim;
      for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
          addProduct(errors[at], vectors, from + j * dim, before, from + i * dim);
          addProduct(errors[at++], vectors, from + i * dim, before, from + j * dim);
        }
      }
    }
    INDArray[] each = new INDArray[inputs.length];
    int column = 0;
    for (int input = 0; input < each.length; input++) {
      int width = Math.toIntExact(inputs[input].size(1));
      double[] part = new double[rows * width];
      for (int row = 0; row < rows; row++) {
        System.arraycopy(before, row * count * dim + column, part, row * width, width);
      }
      each[input] = array(part, rows, ArrayType.ACTIVATION_GRAD, workspaces);
      column += width;
    }
    return new Pair<>(null, each);
  }

  private void addProduct(double factor, double[] from, int at, double[] to, int into) {
    for (int k = 0; k < dim; k++) {
      to[into + k] += factor * from[at + k];
    }
  }

  /** Returns the vectors of all rows; shape [rows, vectors, dim]. */
  private double[] vectors(int rows) {
    int width = 0;
    for (INDArray input : inputs) {
      width += PairwiseDots.vectors(input.size(1), dim) * dim;
    }
    double[] all = new double[rows * width];
    int column = 0;
    for (INDArray input : inputs) {
      double[] own = values(input);
      int columns = own.length / rows;
      for (int row = 0; row < rows; row++) {
        System.arraycopy(own, row * columns, all, row * width + column, columns);
      }
      column += columns;
    }
    return all;
  }

  private static double[] values(INDArray array) {
    try (INDArray copy = Nd4j.createUninitializedDetached(DataType.DOUBLE, 'c', array.shape())) {
      return copy.assign(array).data().asDouble();
    }
  }

  private INDArray array(double[] values, int rows, ArrayType type, LayerWorkspaceMgr workspaces) {
    long[] shape = {rows, values.length / rows};
    INDArray made = workspaces.createUninitialized(type, inputs[0].dataType(), shape, 'c');
    try (INDArray exact = Nd4j.createUninitializedDetached(DataType.DOUBLE, 'c', shape)) {
      exact.data().setData(values);
      return made.assign(exact);
    }
  }

  @Override
  public void setBackpropGradientsViewArray(@Nullable INDArray gradients) {
    if (gradients != null) {
      throw new IllegalArgumentException("vertex '" + vertexName + "' has no parameters");
    }
  }

  @Override
  public @Nullable Pair<INDArray, MaskState> feedForwardMaskArrays(
      INDArray[] masks, MaskState state, int rows) {
    return null;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "PairwiseDotsVertex(name=%s, dim=%d)", vertexName, dim);
  }
}
