package io.idlalayer.modelruntime.artifact;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a network and of its training: everything that a trainer needs besides
 * samples.
 *
 * @param schema meaning of the inputs and of the label
 * @param standardize whether dense features (and a regression target) are standardised with a
 *     robust, forgetting centre and scale, which become part of the artifact
 * @param embeddings how the ids of the schema's id features become numbers
 * @param loss loss of a target; without effect for classes
 */
public record ModelSpec(
    SampleSchema schema,
    Network network,
    Fit fit,
    boolean standardize,
    Embeddings embeddings,
    TargetLoss loss)
    implements Serializable {

  /** Largest number of networks that are averaged. */
  public static final int MOST_MEMBERS = 16;

  private static final int MOST_BINS = 8;
  private static final int FEWEST_BINS = 2;

  /** Most encoded columns; if there would be more, each value has fewer bins. */
  private static final int MOST_ENCODED_COLUMNS = 512;

  /** Largest number of dense values that are encoded; with more values, none is. */
  private static final int MOST_ENCODED_VALUES = MOST_ENCODED_COLUMNS / FEWEST_BINS;

  public ModelSpec {
    // A model that was published without it has squared errors.
    loss = loss == null ? TargetLoss.SQUARED : loss;
  }

  /** Creates the specification of a model whose targets have squared errors. */
  public ModelSpec(
      SampleSchema schema, Network network, Fit fit, boolean standardize, Embeddings embeddings) {
    this(schema, network, fit, standardize, embeddings, TargetLoss.SQUARED);
  }

  /**
   * Creates the specification of a model without embedding tables, whose targets have squared
   * errors.
   */
  public ModelSpec(SampleSchema schema, Network network, Fit fit, boolean standardize) {
    this(schema, network, fit, standardize, Embeddings.NONE);
  }

  /** Returns this specification with another loss of targets. */
  public ModelSpec with(TargetLoss other) {
    return new ModelSpec(schema, network, fit, standardize, embeddings, other);
  }

  /** Returns this specification with another schema of the same features. */
  public ModelSpec with(SampleSchema other) {
    return new ModelSpec(other, network, fit, standardize, embeddings, loss);
  }

  /**
   * Returns the width of the network's input: the context ({@link SampleSchema#contextWidth}),
   * dense values, the one-hot of each categorical feature, and the encoded dense values ({@link
   * #encodedColumns}) or the values from the rows of tables ({@link #vectorColumns}). No network
   * has both.
   */
  public int inputWidth() {
    return vectorColumns()
        + encodedColumns()
        + embeddings.uses().stream().mapToInt(use -> embeddings.table(use).dim()).sum()
        + wideColumns();
  }

  /**
   * Returns the first column of the network's input whose values come from the rows of tables: for
   * each id feature the vector of its ids, then, if the network is wide and deep, the sum of the
   * wide parts.
   */
  public int vectorColumns() {
    return schema.contextWidth()
        + schema.denseWidth()
        + schema.categorical().stream().mapToInt(SampleSchema.CategoricalFeature::buckets).sum();
  }

  /**
   * Returns the number of columns of the network's input that hold the sum of the wide parts of all
   * rows; 0 if rows have none.
   */
  public int wideColumns() {
    return network instanceof Network.WideAndDeep ? outputWidth() : 0;
  }

  /** Returns the number of networks whose outputs are averaged; 1 if there is only one. */
  public int members() {
    return plainMembers() + contextMembers();
  }

  /** Returns the number of members that take no context; they come first. */
  public int plainMembers() {
    return network instanceof Network.Mlp mlp ? mlp.members() : 1;
  }

  /**
   * Returns the number of members that take an event's context too: half as many as the others, at
   * least one, and none without a history.
   */
  public int contextMembers() {
    boolean takes = schema.history() != null && network instanceof Network.Mlp;
    return takes ? Math.max(1, plainMembers() / 2) : 0;
  }

  /**
   * Returns the number of bins of each dense value's piecewise-linear encoding; 0 if no member of
   * the network takes encoded values. The more dense values there are, the fewer bins each has;
   * above a limit there are none.
   */
  public int bins() {
    int values = schema.denseWidth();
    if (plainMembers() == 1 || values <= 0 || values > MOST_ENCODED_VALUES) {
      return 0;
    }
    return Math.max(FEWEST_BINS, Math.min(MOST_BINS, MOST_ENCODED_COLUMNS / values));
  }

  /**
   * Returns the number of columns of the network's input that hold the piecewise-linear encoding of
   * the dense values: {@link #bins} of them for each value.
   */
  public int encodedColumns() {
    return schema.denseWidth() * bins();
  }

  /**
   * Returns the number of members that take the encoded dense values instead of the scaled ones:
   * half of those without context, rounded down, and the last ones of these.
   */
  public int encodedMembers() {
    return bins() == 0 ? 0 : plainMembers() / 2;
  }

  /** Returns the number of values that the network gives for a row: the outputs of all members. */
  public int networkOutputs() {
    return members() * outputWidth();
  }

  /** Returns the number of weights of a row: its vector, and after it the wide part. */
  public int rowWeights(Table table) {
    return table.dim() + wideColumns();
  }

  /**
   * Returns the rule by which a table assigns rows to ids, taken from the first feature that uses
   * the table. All features that use a table have the same rule.
   *
   * @param table index of the table
   */
  public RowIndex rowIndex(int table) {
    for (int i = 0; i < embeddings.uses().size(); i++) {
      if (embeddings.uses().get(i).table() == table) {
        return schema.ids().get(i).index();
      }
    }
    return RowIndex.OPEN;
  }

  /** Returns the width of the network's output: the number of classes, or 1 for regression. */
  public int outputWidth() {
    return schema.label().task() == SampleSchema.Task.REGRESSION
        ? 1
        : schema.label().classes().size();
  }

  /** The architecture of the network. */
  public sealed interface Network extends Serializable {
    /**
     * Multilayer perceptrons: dense layers with ReLU. Several of them learn independently of each
     * other, and their outputs are averaged. For tables there is one.
     *
     * @param hidden widths of the hidden layers of each network
     * @param members number of networks without those for the history of keys, 1 to {@link
     *     ModelSpec#MOST_MEMBERS}
     */
    record Mlp(List<Integer> hidden, int members) implements Network {
      public Mlp {
        hidden = List.copyOf(hidden);
      }

      /** Creates a single network. */
      public Mlp(List<Integer> hidden) {
        this(hidden, 1);
      }
    }

    /**
     * A convolutional network: convolutions (kernel 5x5 same, ReLU, 2x2 max pooling each), then one
     * dense layer.
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
     * A wide and deep network (Cheng 2016): hidden layers over dense values and vectors, to whose
     * outputs the wide parts of the rows are added.
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
      /** Returns a short text that differs for different configurations. */
      @Override
      public String toString() {
        return String.format(
            Locale.ROOT, "Dl4jJson[%d characters, %08x]", json.length(), json.hashCode());
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

      /** Returns a short text that differs for different graphs. */
      @Override
      public String toString() {
        return String.format(
            Locale.ROOT,
            "SameDiffGraph[%d bytes, %08x, %s to %s]",
            graph.length,
            Arrays.hashCode(graph),
            features,
            output);
      }
    }
  }

  /**
   * An embedding table.
   *
   * @param dim length of a row's vector
   */
  public record Table(String name, int dim) implements Serializable {}

  /**
   * The use of a table by an id feature.
   *
   * @param table index of the table
   */
  public record Use(int table, IdPooling pooling) implements Serializable {}

  /**
   * The training settings of the rows of tables.
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
    /** The embeddings of a model without tables. */
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

  /** The algorithm that updates the parameters. */
  public enum Updater {
    SGD,
    NESTEROVS,
    ADAM
  }

  /**
   * The training settings of the network.
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
    /**
     * Default time limit, half an hour: trainings take seconds, and one that takes minutes must not
     * be given up.
     */
    public static final double DEFAULT_TIME_LIMIT_SECONDS = 1_800;

    /** Creates settings with the default time limit. */
    public Fit(int miniBatch, int epochs, Updater updater, double learningRate, double l2) {
      this(miniBatch, epochs, updater, learningRate, l2, DEFAULT_TIME_LIMIT_SECONDS);
    }
  }
}
