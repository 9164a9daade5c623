package io.idlalayer.modelruntime.network;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import java.util.List;

/**
 * A network in plain Java. Immutable: any number of threads may use one at a time, without waiting
 * for each other. A call takes memory for the numbers between the layers of {@link #rowsAtOnce}
 * rows, and for its result.
 */
public final class PlainNetwork {
  /** Numbers between all layers that are computed at once, unless a single row has more. */
  private static final int NUMBERS_AT_ONCE = 1 << 16;

  private static final int MOST_ROWS_AT_ONCE = 64;

  /** Most numbers between all layers, for one row. */
  static final int MOST_NUMBERS = 1 << 22;

  private final int inputs;
  private final List<Node> nodes;
  private final int rowsAtOnce;

  /**
   * A step with its sources.
   *
   * @param sources places among the nodes; 0 is the network's input, node i has place i + 1
   */
  public record Node(Step step, int[] sources) {}

  /**
   * @param nodes each after its sources; the last gives the network's outputs
   */
  PlainNetwork(int inputs, List<Node> nodes) {
    this.inputs = inputs;
    this.nodes = List.copyOf(nodes);
    int numbers = inputs;
    for (Node node : nodes) {
      numbers += node.step().width();
    }
    rowsAtOnce = Math.max(1, Math.min(MOST_ROWS_AT_ONCE, NUMBERS_AT_ONCE / numbers));
  }

  /**
   * Reads the network's file of a model.
   *
   * @param largestBytes of the file's entries together, unpacked
   * @throws MalformedModelException if the file is not what a trainer writes, or not of this
   *     specification
   * @throws UnsupportedModelException naming what is not known here
   */
  public static PlainNetwork decode(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException, UnsupportedModelException {
    return NetworkFile.decode(spec, file, largestBytes);
  }

  /** Its steps, each after its sources; the last gives its outputs. */
  public List<Node> nodes() {
    return nodes;
  }

  /** Numbers of a row that it takes. */
  public int inputs() {
    return inputs;
  }

  /** Numbers of a row that it gives. */
  public int outputs() {
    return nodes.get(nodes.size() - 1).step().width();
  }

  /** How many rows are best given to it in one call. */
  public int rowsAtOnce() {
    return rowsAtOnce;
  }

  /**
   * Predictions of shape [rows, outputs], row by row.
   *
   * @param features of shape [rows, inputs], row by row; not changed. More than {@link #rowsAtOnce}
   *     rows take more memory
   */
  public float[] output(float[] features, int rows) {
    float[][] values = new float[nodes.size() + 1][];
    values[0] = features;
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.get(i);
      float[][] sources = new float[node.sources().length][];
      for (int s = 0; s < sources.length; s++) {
        sources[s] = values[node.sources()[s]];
      }
      float[] out = new float[rows * node.step().width()];
      node.step().run(sources, rows, out);
      values[i + 1] = out;
    }
    return values[nodes.size()];
  }
}
