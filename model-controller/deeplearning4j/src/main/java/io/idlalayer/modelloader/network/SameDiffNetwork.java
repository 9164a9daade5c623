package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A network that is a SameDiff graph, from a placeholder of features to an output. */
public final class SameDiffNetwork implements ArrayNetwork {
  private final SameDiff graph;
  private final String features;
  private final String predictions;

  /** True if the graph takes the weights of rows as a column, false if as a vector. */
  private final boolean column;

  private SameDiffNetwork(SameDiff graph, String features, String predictions, boolean column) {
    this.graph = graph;
    this.features = features;
    this.predictions = predictions;
    this.column = column;
  }

  /**
   * Creates a network with the initial values in the graph's file.
   *
   * @throws IllegalArgumentException if the graph is invalid, or does not match the specification
   */
  static SameDiffNetwork create(ModelSpec spec, ModelSpec.Network.SameDiffGraph network) {
    SameDiff graph = SameDiffFile.read(spec, network);
    SameDiffUpdaters.make(graph);
    return new SameDiffNetwork(
        graph,
        network.features(),
        SameDiffFile.predictions(spec, network),
        SameDiffFile.regression(spec));
  }

  /**
   * Creates a network with the values of a state that {@link #encode} wrote.
   *
   * @param largestBytes limit of the state's entries together, unpacked
   * @throws MalformedModelException if the bytes are not a state, or belong to another graph
   */
  static SameDiffNetwork decode(
      ModelSpec spec, ModelSpec.Network.SameDiffGraph network, byte[] state, long largestBytes)
      throws MalformedModelException {
    SameDiffNetwork read;
    try {
      read = create(spec, network);
    } catch (IllegalArgumentException refused) {
      throw new MalformedModelException("the model's graph: " + refused.getMessage(), refused);
    }
    boolean done = false;
    try {
      SameDiffState.decode(read.graph, state, largestBytes);
      done = true;
      return read;
    } finally {
      if (!done) {
        read.close();
      }
    }
  }

  @Override
  public INDArray output(INDArray rows) {
    return Objects.requireNonNull(
        graph.output(Map.of(features, rows), predictions).get(predictions));
  }

  /** Returns SameDiff's graph, for training. */
  public SameDiff graph() {
    return graph;
  }

  /** Returns the inputs of one training step of the graph, by placeholder. */
  public Map<String, INDArray> placeholders(INDArray rows, INDArray labels, INDArray shares) {
    return Map.of(features, rows, SameDiffFile.LABELS, labels, SameDiffFile.WEIGHTS, shares);
  }

  /**
   * Returns the weights of rows, each divided by the number of rows, because the graph sums over
   * rows.
   *
   * @param weights weight of each row; null if all have weight 1
   */
  public INDArray shares(float @Nullable [] weights, int rows) {
    float[] shares = weights == null ? new float[rows] : weights.clone();
    if (weights == null) {
      Arrays.fill(shares, 1);
    }
    for (int i = 0; i < rows; i++) {
      shares[i] /= rows;
    }
    return Nd4j.create(shares, column ? new long[] {rows, 1} : new long[] {rows}, 'c');
  }

  @Override
  public boolean finite() {
    return SameDiffState.arrays(graph).values().stream().allMatch(NetworkZip::finite);
  }

  private List<SDVariable> variables() {
    return graph.variables().stream().filter(SameDiffFile::trained).toList();
  }

  @Override
  public byte[] encode() throws IOException {
    return SameDiffState.encode(graph);
  }

  @Override
  public void close() {
    for (SDVariable variable : variables()) {
      INDArray values = variable.getArr();
      if (values.closeable()) {
        values.close();
      }
    }
  }
}
