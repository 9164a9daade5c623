package io.idlalayer.modelruntime.artifact;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a network and of its training: everything the trainer needs besides data.
 *
 * @param schema meaning of the inputs and of the label
 * @param standardize whether dense features (and a regression target) are standardised with a
 *     robust, forgetting centre and scale, which become part of the artifact
 * @param embeddings how the ids of the schema's id features become numbers
 */
public record ModelSpec(
    SampleSchema schema, Network network, Fit fit, boolean standardize, Embeddings embeddings)
    implements Serializable {

  /** Creates a model without embedding tables. */
  public ModelSpec(SampleSchema schema, Network network, Fit fit, boolean standardize) {
    this(schema, network, fit, standardize, Embeddings.NONE);
  }

  /**
   * Width of the network's input: dense values, the one-hot of each categorical feature, and what
   * comes from the rows of tables ({@link #vectorColumns}).
   */
  public int inputWidth() {
    return vectorColumns()
        + embeddings.uses().stream().mapToInt(use -> embeddings.table(use).dim()).sum()
        + wideColumns();
  }

  /**
   * Returns the first column of the network's input that comes from rows: for each id feature the
   * vector of its ids, then, if the network is wide and deep, the sum of the wide parts.
   */
  public int vectorColumns() {
    return schema.denseWidth()
        + schema.categorical().stream().mapToInt(SampleSchema.CategoricalFeature::buckets).sum();
  }

  /** Columns into which the wide parts of all rows are added up; 0 if rows have none. */
  public int wideColumns() {
    return network instanceof Network.WideAndDeep ? outputWidth() : 0;
  }

  /** Weights of a row: its vector, and its wide part behind that. */
  public int rowWeights(Table table) {
    return table.dim() + wideColumns();
  }

  /**
   * Which row of a table an id has: what the first feature that uses the table says. All of a table
   * say the same.
   *
   * @param table its index
   */
  public RowIndex rowIndex(int table) {
    for (int i = 0; i < embeddings.uses().size(); i++) {
      if (embeddings.uses().get(i).table() == table) {
        return schema.ids().get(i).index();
      }
    }
    return RowIndex.OPEN;
  }

  /** Width of the output: number of classes, or 1 for regression. */
  public int outputWidth() {
    return schema.label().task() == SampleSchema.Task.REGRESSION
        ? 1
        : schema.label().classes().size();
  }

  /** The network. */
  public sealed interface Network extends Serializable {
    /** Dense layers with ReLU. */
    record Mlp(List<Integer> hidden) implements Network {
      public Mlp {
        hidden = List.copyOf(hidden);
      }
    }

    /**
     * Convolutions (kernel 5x5 same, ReLU, 2x2 max pooling each), then one dense layer.
     *
     * @param height image height in pixels
     * @param filters filters of each convolution
     * @param dense width of the dense layer
     */
    record Cnn(int height, int width, int channels, List<Integer> filters, int dense)
        implements Network {
      public Cnn {
        filters = List.copyOf(filters);
      }
    }

    /**
     * A deep-learning recommendation model (Naumov 2019): dense values go through the bottom layers
     * to a vector as long as those of the tables; the dot products of all pairs of vectors and the
     * bottom's own go through the top layers. All tables have the same dimension.
     *
     * @param bottom widths of the hidden layers below; the dimension of the tables follows
     * @param top widths of the hidden layers above
     */
    record Dlrm(List<Integer> bottom, List<Integer> top) implements Network {
      public Dlrm {
        bottom = List.copyOf(bottom);
        top = List.copyOf(top);
      }
    }

    /**
     * A deep network over dense values and vectors, to whose outputs the wide parts of the rows are
     * added, one number for each output (Cheng 2016).
     */
    record WideAndDeep(List<Integer> hidden) implements Network {
      public WideAndDeep {
        hidden = List.copyOf(hidden);
      }
    }

    /**
     * A DL4J {@code MultiLayerConfiguration} or {@code ComputationGraphConfiguration} of one input
     * and one output, as JSON. Trusted input only.
     */
    record Dl4jJson(String json) implements Network {
      /** Short, and told apart from another. */
      @Override
      public String toString() {
        return "Dl4jJson[%d characters, %08x]".formatted(json.length(), json.hashCode());
      }
    }

    /**
     * A SameDiff graph with its initial values, as {@code SameDiff.save} writes it. Trusted input
     * only.
     *
     * @param graph the file's bytes, which must not be changed
     * @param features placeholder of shape [-1, input width]
     * @param output variable of shape [rows, output width]: logits of classes, or targets
     */
    record SameDiffGraph(byte[] graph, String features, String output) implements Network {
      @Override
      public boolean equals(@Nullable Object other) {
        return other instanceof SameDiffGraph that
            && Arrays.equals(graph, that.graph)
            && features.equals(that.features)
            && output.equals(that.output);
      }

      @Override
      public int hashCode() {
        return 31 * Objects.hash(features, output) + Arrays.hashCode(graph);
      }

      /** Short, and told apart from another. */
      @Override
      public String toString() {
        return "SameDiffGraph[%d bytes, %08x, %s to %s]"
            .formatted(graph.length, Arrays.hashCode(graph), features, output);
      }
    }
  }

  /**
   * A table of rows.
   *
   * @param dim length of a row's vector
   */
  public record Table(String name, int dim) implements Serializable {}

  /**
   * How an id feature uses a table.
   *
   * @param table its index
   */
  public record Use(int table, IdPooling pooling) implements Serializable {}

  /**
   * How rows are trained.
   *
   * @param learningRate above 0
   * @param initialScale the weights of a new row are uniform between this and its negative
   */
  public record RowFit(RowUpdater updater, double learningRate, double initialScale)
      implements Serializable {}

  /**
   * The embedding tables, and the features that use them.
   *
   * @param uses one use for each id feature of the schema, in its order
   * @param fit training settings of the rows of all tables
   */
  public record Embeddings(List<Table> tables, List<Use> uses, RowFit fit) implements Serializable {
    /** No tables. */
    public static final Embeddings NONE =
        new Embeddings(List.of(), List.of(), new RowFit(RowUpdater.SGD, 0.01, 0.01));

    public Embeddings {
      tables = List.copyOf(tables);
      uses = List.copyOf(uses);
    }

    /** Returns the table that a feature uses. */
    public Table table(Use use) {
      return tables.get(use.table());
    }
  }

  /** The updater. */
  public enum Updater {
    SGD,
    NESTEROVS,
    ADAM
  }

  /**
   * How to fit.
   *
   * @param epochs passes over each batch, at least 1
   * @param learningRate above 0
   * @param l2 weight of the L2 penalty, 0 for none
   * @param timeLimitSeconds a training, or a scoring of some hundred samples, that takes longer
   *     hangs and is given up; above 0
   */
  public record Fit(
      int miniBatch,
      int epochs,
      Updater updater,
      double learningRate,
      double l2,
      double timeLimitSeconds)
      implements Serializable {
    /** Half an hour: trainings take seconds, and one of minutes is not to be given up. */
    public static final double DEFAULT_TIME_LIMIT_SECONDS = 1_800;

    /** Creates settings with the default time limit. */
    public Fit(int miniBatch, int epochs, Updater updater, double learningRate, double l2) {
      this(miniBatch, epochs, updater, learningRate, l2, DEFAULT_TIME_LIMIT_SECONDS);
    }
  }
}
