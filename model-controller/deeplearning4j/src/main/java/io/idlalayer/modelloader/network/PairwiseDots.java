package io.idlalayer.modelloader.network;

import java.util.Arrays;
import java.util.Locale;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.memory.LayerMemoryReport;
import org.deeplearning4j.nn.conf.memory.MemoryReport;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The dot products of all pairs of vectors in a row: the interaction of features of a
 * recommendation model. The inputs are flat rows of one vector or more each; those of the first
 * come first. A row of m vectors gives m (m - 1) / 2 products: of the first with each later one,
 * then of the second, and so on; each pair once, and no vector with itself.
 *
 * <p>Source: Naumov 2019, section 2.1. Deeplearning4j has no such vertex, so that its networks name
 * this class.
 */
public final class PairwiseDots extends GraphVertex {
  private static final long serialVersionUID = 1L;

  private int dim;

  /** Called by Deeplearning4j, which sets the length of vectors afterwards. */
  public PairwiseDots() {}

  /**
   * @param dim length of a vector
   */
  public PairwiseDots(int dim) {
    this.dim = dim;
  }

  /** Returns the length of a vector. */
  public int getDim() {
    return dim;
  }

  public void setDim(int dim) {
    this.dim = dim;
  }

  /**
   * Returns the number of vectors in a row.
   *
   * @param width number of values in the row
   * @throws IllegalArgumentException if the row cannot be divided into whole vectors
   */
  public static int vectors(long width, int dim) {
    if (dim < 1 || width < dim || width % dim != 0) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "a row of %d numbers is not vectors of %d", width, dim));
    }
    return Math.toIntExact(width / dim);
  }

  /** Returns the number of pairs of this number of vectors. */
  public static int pairs(int vectors) {
    return Math.toIntExact((long) vectors * (vectors - 1) / 2);
  }

  @Override
  public PairwiseDots clone() {
    return new PairwiseDots(dim);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PairwiseDots that && dim == that.dim;
  }

  @Override
  public int hashCode() {
    return Integer.hashCode(dim);
  }

  @Override
  public String toString() {
    return "PairwiseDots(dim=" + dim + ")";
  }

  @Override
  public long numParams(boolean backprop) {
    return 0;
  }

  @Override
  public int minVertexInputs() {
    return 1;
  }

  @Override
  public int maxVertexInputs() {
    return Integer.MAX_VALUE;
  }

  @Override
  public org.deeplearning4j.nn.graph.vertex.GraphVertex instantiate(
      ComputationGraph graph,
      String name,
      int index,
      INDArray parameters,
      boolean initialise,
      DataType numbers) {
    if (dim < 1) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "vertex '%s' has vectors of %d", name, dim));
    }
    return new PairwiseDotsVertex(graph, name, index, dim, numbers);
  }

  @Override
  public InputType getOutputType(int index, InputType... inputs) {
    int vectors = 0;
    for (InputType each : inputs) {
      if (!(each instanceof InputType.InputTypeFeedForward rows)) {
        throw new IllegalArgumentException(
            "pairwise dots are of flat rows, and not of " + Arrays.toString(inputs));
      }
      vectors += vectors(rows.getSize(), dim);
    }
    return InputType.feedForward(pairs(vectors));
  }

  @Override
  public MemoryReport getMemoryReport(InputType... inputs) {
    InputType outputs = getOutputType(-1, inputs);
    return new LayerMemoryReport.Builder(null, PairwiseDots.class, inputs[0], outputs)
        .standardMemory(0, 0)
        .workingMemory(0, 0, 0, 0)
        .cacheMemory(0, 0)
        .build();
  }
}
