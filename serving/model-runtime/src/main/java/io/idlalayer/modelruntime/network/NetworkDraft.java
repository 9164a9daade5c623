package io.idlalayer.modelruntime.network;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A network under construction: the steps so far, and the memory and operations that they need. */
final class NetworkDraft {
  /**
   * Largest number of multiplications, additions and comparisons for a row, in all steps together.
   */
  private static final long MOST_OPERATIONS = 1L << 34;

  private final InputColumns columns;
  private final float[] parameters;
  private final List<PlainNetwork.Node> nodes = new ArrayList<>();
  private long numbers;
  private long operations;
  private int used;

  /**
   * The output of a step, or the network's input.
   *
   * @param place see {@link PlainNetwork.Node}
   */
  record Rows(int place, RowShape shape) {
    int width() {
      return shape.numbers();
    }

    /** Returns these values with another shape. */
    Rows as(RowShape other) {
      return new Rows(place, other);
    }
  }

  /**
   * @param parameters parameters of all layers, finite
   */
  NetworkDraft(InputColumns columns, float[] parameters) {
    this.columns = columns;
    this.parameters = parameters;
  }

  /** Returns the input of the network. */
  Rows input() throws MalformedModelException {
    count(columns.width());
    return new Rows(0, new RowShape.Flat(columns.width()));
  }

  /** Adds a step and returns its outputs. */
  Rows add(NetworkStep step, RowShape shape, List<Rows> sources) throws MalformedModelException {
    count(step.width());
    // A step that reads columns of the input looks at all one-hot features.
    work(columns.categorical());
    nodes.add(new PlainNetwork.Node(step, sources.stream().mapToInt(Rows::place).toArray()));
    return new Rows(nodes.size(), shape);
  }

  /**
   * Takes the next parameters of the file for a layer.
   *
   * @return index of the first of them
   */
  int take(String layer, long count) throws MalformedModelException {
    if (count < 0 || count > parameters.length - used) {
      throw ConfigurationReader.malformed(
          String.format(
              Locale.ROOT,
              "%s needs %d parameters, but the file has only %d left",
              layer,
              count,
              parameters.length - used));
    }
    int from = used;
    used += (int) count;
    return from;
  }

  float[] parameters() {
    return parameters;
  }

  /** Counts further numbers that a row needs in memory, and refuses too many. */
  void count(long more) throws MalformedModelException {
    numbers += more;
    bounded(numbers);
  }

  /**
   * Counts further operations for a row, and refuses too many, so that a small file cannot cause
   * much work.
   */
  void work(long more) throws MalformedModelException {
    operations += more;
    if (more < 0 || operations > MOST_OPERATIONS) {
      throw ConfigurationReader.malformed(
          String.format(
              Locale.ROOT, "it needs more than %d operations for a row", MOST_OPERATIONS));
    }
  }

  /**
   * Returns a width, and refuses it if it is too large, so that a small file cannot cause a large
   * allocation.
   */
  static int bounded(long width) throws MalformedModelException {
    if (width < 1 || width > PlainNetwork.MOST_NUMBERS) {
      throw ConfigurationReader.malformed(
          String.format(
              Locale.ROOT,
              "it has %d numbers between its layers for a row; 1 to %d are computed",
              width,
              PlainNetwork.MOST_NUMBERS));
    }
    return (int) width;
  }

  /**
   * Returns the finished network.
   *
   * @param end outputs of the network
   */
  PlainNetwork network(Rows end) throws MalformedModelException {
    if (end.place() == 0 || end.place() != nodes.size()) {
      throw ConfigurationReader.malformed("it does not end with its output layer");
    }
    if (used != parameters.length) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "the network has %d parameters, but %d are stored",
              used,
              parameters.length));
    }
    return new PlainNetwork(columns, nodes);
  }
}
