package io.idlalayer.modelruntime.network;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A network that predicts in plain Java. Immutable: any number of threads may use one at a time,
 * without waiting for each other. A call takes memory for the numbers between the layers of {@link
 * #rowsAtOnce} rows, for its result, and in a convolution for 512 KiB, or for the numbers of a
 * larger window.
 */
public final class PlainNetwork {
  /**
   * Limit of the numbers between all layers for the rows that are computed together, unless a
   * single row has more.
   */
  private static final int NUMBERS_AT_ONCE = 1 << 16;

  private static final int MOST_ROWS_AT_ONCE = 64;

  /** Largest number of numbers between all layers for one row. */
  static final int MOST_NUMBERS = 1 << 22;

  private final InputColumns columns;
  private final List<Node> nodes;

  /**
   * For each node, the columns of the network's input that it reads directly; null if it reads the
   * outputs of its sources.
   */
  private final InputColumns.@Nullable Range[] ranges;

  /**
   * For each place of outputs, whether its numbers are needed; for place 0, whether the input is
   * copied there.
   */
  private final boolean[] computed;

  private final int rowsAtOnce;

  /**
   * A step, and the places from which it takes its inputs.
   *
   * @param sources places among the nodes; 0 is the network's input, node i has place i + 1
   */
  public record Node(NetworkStep step, int[] sources) {}

  /**
   * @param nodes each after its sources; the last gives the network's outputs
   */
  PlainNetwork(InputColumns columns, List<Node> nodes) {
    this.columns = columns;
    this.nodes = List.copyOf(nodes);
    ranges = new InputColumns.Range[nodes.size()];
    computed = new boolean[nodes.size() + 1];
    computed[nodes.size()] = true;
    for (int i = nodes.size() - 1; i >= 0; i--) {
      ranges[i] = range(nodes.get(i));
      if (computed[i + 1] && ranges[i] == null) {
        for (int source : nodes.get(i).sources()) {
          computed[source] = true;
        }
      }
    }
    int numbers = columns.numbers() + columns.categorical() + (computed[0] ? columns.width() : 0);
    for (int i = 0; i < nodes.size(); i++) {
      numbers += computed[i + 1] ? nodes.get(i).step().width() : 0;
    }
    rowsAtOnce = Math.max(1, Math.min(MOST_ROWS_AT_ONCE, NUMBERS_AT_ONCE / numbers));
  }

  /**
   * Returns the columns of the network's input that a node reads directly; null if there are none.
   */
  private InputColumns.@Nullable Range range(Node node) {
    int source = node.sources()[0];
    if (node.step() instanceof RowSteps.Columns chosen) {
      return source == 0 ? columns.range(chosen.from(), chosen.width()) : null;
    }
    if (!(node.step() instanceof DenseStep)) {
      return null;
    }
    if (source == 0) {
      return columns.range(0, columns.width());
    }
    Node before = nodes.get(source - 1);
    return before.step() instanceof RowSteps.Columns ? range(before) : null;
  }

  /**
   * Reads the network from its file in a model.
   *
   * @param largestBytes limit of the file's entries together, unpacked
   * @throws MalformedModelException if no trainer writes such a file, or it belongs to another
   *     specification
   * @throws UnsupportedModelException that names what this class does not support
   */
  public static PlainNetwork decode(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException, UnsupportedModelException {
    return NetworkFile.decode(spec, file, largestBytes);
  }

  /**
   * Reads the layers of a network from its file in a model. These layers take all columns as
   * numbers, and return the outputs of all members unchanged, before any mean or link function is
   * applied.
   *
   * @param largestBytes limit of the file's entries together, unpacked
   * @throws MalformedModelException if no trainer writes such a file, or it belongs to another
   *     specification
   * @throws UnsupportedModelException that names what this class does not support
   */
  public static PlainNetwork decodeLayers(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException, UnsupportedModelException {
    return NetworkFile.layers(spec, InputColumns.ofNumbers(spec.inputWidth()), file, largestBytes);
  }

  /** Returns this network with a further step, whose input are the network's outputs. */
  PlainNetwork followedBy(NetworkStep step) {
    List<Node> more = new ArrayList<>(nodes);
    more.add(new Node(step, new int[] {nodes.size()}));
    return new PlainNetwork(columns, more);
  }

  /** Returns the nodes in order, each after its sources; the last one gives the outputs. */
  public List<Node> nodes() {
    return nodes;
  }

  /** Returns the number of values of a row of the input. */
  public int inputs() {
    return columns.width();
  }

  /** Returns the number of values of a row of the output. */
  public int outputs() {
    return nodes.get(nodes.size() - 1).step().width();
  }

  /** Returns the number of rows for which one call is most efficient. */
  public int rowsAtOnce() {
    return rowsAtOnce;
  }

  /**
   * Returns the predictions for some rows; shape [rows, outputs], row by row.
   *
   * @param input more than {@link #rowsAtOnce} rows take more memory
   * @throws IllegalArgumentException if the columns of the input are not those of the network
   */
  public float[] output(InputRows input) {
    if (!input.columns().equals(columns)) {
      throw new IllegalArgumentException(
          "the network takes %s, not %s".formatted(columns, input.columns()));
    }
    float[][] values = new float[nodes.size() + 1][];
    if (computed[0]) {
      values[0] = input.dense();
    }
    for (int i = 0; i < nodes.size(); i++) {
      if (computed[i + 1]) {
        values[i + 1] = output(i, input, values);
      }
    }
    return values[nodes.size()];
  }

  private float[] output(int i, InputRows input, float[][] values) {
    Node node = nodes.get(i);
    InputColumns.Range range = ranges[i];
    float[] out = new float[input.rows() * node.step().width()];
    if (range == null) {
      float[][] sources = new float[node.sources().length][];
      for (int s = 0; s < sources.length; s++) {
        sources[s] = values[node.sources()[s]];
      }
      node.step().run(sources, input.rows(), out);
    } else if (node.step() instanceof DenseStep dense) {
      dense.run(input, range, out);
    } else {
      input.copy(range, out);
    }
    return out;
  }
}
