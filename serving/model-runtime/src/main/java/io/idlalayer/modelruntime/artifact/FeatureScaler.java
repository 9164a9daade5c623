package io.idlalayer.modelruntime.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.models.store.HeapShare;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.change.ColumnMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Standardises and bounds the inputs of a network: dense features and a regression target become
 * deviations from a robust, forgetting centre in units of a robust scale ({@link RobustColumn}),
 * and none is farther than {@link #LIMIT} of them. The centre is subtracted in 64 bits; what is
 * left is a number of 32 bits. Flags of 0 and 1 stay as they are. Immutable; part of the model. A
 * column that does not vary is only shifted.
 *
 * <p>A scaler that is not enabled scales nothing, but still bounds: a feature to twice the usual
 * largest one of a row and {@link #LIMIT} of its scales more, a target to {@link #LIMIT} scales.
 *
 * <p>NaN stays NaN.
 */
public final class FeatureScaler {
  /** Largest absolute value that a scaled value can have. */
  public static final double LIMIT = RobustColumn.LIMIT;

  private static final int FORMAT_VERSION = 4;
  private static final ObjectMapper JSON =
      new ObjectMapper(
              JsonFactory.builder()
                  .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxTokenCount(HeapShare.ofThisProcess().jsonTokens())
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

  /**
   * Number of columns that are copied in one pass over the samples, which are scattered in memory:
   * as many numbers as a line of a processor's cache has.
   */
  private static final int COLUMNS_AT_ONCE = 16;

  private final State state;
  private final @Nullable PiecewiseLinear encoding;

  /** Scales the contexts of samples; null if there are none. */
  private final @Nullable FeatureScaler context;

  private final double[] centre;
  private final double[] factor;

  private final TargetScaling target;

  /** Bound of the absolute values of features that are not scaled. */
  private final double bound;

  /**
   * The state of a scaler, as it is stored with the model.
   *
   * @param enabled whether values are scaled
   * @param target whether the label is a target
   * @param denseWidth number of features
   * @param seen samples so far
   * @param logLinkOrNull true if the network gives the logarithm of the target, which is then
   *     scaled and not shifted; null if not, which is not written
   * @param columns one for each feature, or if they are not scaled one of each row's largest; then
   *     one for the target
   * @param encoding bins of the piecewise-linear encoding; null if the network takes none
   * @param context scaler of the contexts, whose values are its features; null if there are none
   */
  record State(
      int formatVersion,
      boolean enabled,
      boolean target,
      int denseWidth,
      long seen,
      List<RobustColumn.State> columns,
      PiecewiseLinear.@Nullable State encoding,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("logLink")
          @Nullable Boolean logLinkOrNull,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable State context) {}

  private FeatureScaler(State state) {
    this.state = state;
    encoding =
        state.encoding() == null ? null : new PiecewiseLinear(state.encoding(), state.denseWidth());
    context = state.context() == null ? null : new FeatureScaler(state.context());
    List<RobustColumn.State> columns = state.columns();
    int features = columns.size() - 1;
    centre = new double[features];
    factor = new double[features];
    for (int i = 0; i < features; i++) {
      RobustColumn.State column = columns.get(i);
      boolean scaled = state.enabled() && !RobustColumn.unseen(column) && !column.binary();
      centre[i] = scaled ? column.mean() : 0;
      factor[i] = scaled ? 1 / RobustColumn.scale(column.mean(), column.variance()) : 1;
    }
    target =
        new TargetScaling(
            columns.get(features),
            state.target(),
            state.enabled(),
            Boolean.TRUE.equals(state.logLinkOrNull()));
    if (state.enabled()) {
      bound = state.seen() == 0 ? Float.MAX_VALUE : LIMIT;
    } else {
      RobustColumn.State largest = columns.get(0);
      bound =
          state.denseWidth() == 0 || RobustColumn.unseen(largest)
              ? Float.MAX_VALUE
              : 2 * Math.abs(largest.mean())
                  + LIMIT * RobustColumn.scale(largest.mean(), largest.variance());
    }
  }

  /**
   * Returns a scaler that has seen no samples and changes no values.
   *
   * @param enabled whether it ever scales; if not, it only bounds
   * @param target whether the label is a target, scaled and bounded too
   */
  public static FeatureScaler empty(int denseWidth, boolean enabled, boolean target) {
    return empty(denseWidth, enabled, target, null, false, 0);
  }

  /** Returns a scaler for the networks of a specification, which has seen no samples. */
  public static FeatureScaler empty(ModelSpec spec) {
    int width = spec.schema().denseWidth();
    boolean target = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
    PiecewiseLinear.@Nullable State encoding =
        spec.bins() == 0 ? null : PiecewiseLinear.empty(width, spec.bins()).state();
    return empty(
        width,
        spec.standardize(),
        target,
        encoding,
        target && spec.loss().logLink(),
        spec.schema().contextWidth());
  }

  private static FeatureScaler empty(
      int denseWidth,
      boolean enabled,
      boolean target,
      PiecewiseLinear.@Nullable State encoding,
      boolean logLink,
      int contextWidth) {
    int features = enabled ? denseWidth : Math.min(1, denseWidth);
    List<RobustColumn.State> columns = new ArrayList<>();
    for (int i = 0; i <= features; i++) {
      columns.add(RobustColumn.State.empty());
    }
    return new FeatureScaler(
        new State(
            FORMAT_VERSION,
            enabled,
            target,
            denseWidth,
            0,
            columns,
            encoding,
            logLink ? Boolean.TRUE : null,
            contextWidth == 0 ? null : empty(contextWidth, enabled, false).state));
  }

  /**
   * Returns a scaler whose centres and scales also include these samples.
   *
   * @throws InterruptedException if the thread is interrupted, which is checked between columns
   */
  public FeatureScaler including(List<Sample> samples) throws InterruptedException {
    if (samples.isEmpty()) {
      return this;
    }
    List<RobustColumn.State> columns = new ArrayList<>();
    int last = state.columns().size() - 1;
    double[][] values = new double[Math.min(COLUMNS_AT_ONCE, last + 1)][samples.size()];
    for (int from = 0; from <= last; from += COLUMNS_AT_ONCE) {
      int to = Math.min(last + 1, from + COLUMNS_AT_ONCE);
      turn(samples, from, to, values);
      for (int i = from; i < to; i++) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        RobustColumn.State before = state.columns().get(i);
        if (i == last && !state.target()) {
          columns.add(before);
          continue;
        }
        RobustColumn column = new RobustColumn(before);
        column.include(values[i - from], state.seen());
        columns.add(column.state());
      }
    }
    return new FeatureScaler(
        new State(
            FORMAT_VERSION,
            state.enabled(),
            state.target(),
            state.denseWidth(),
            state.seen() + samples.size(),
            columns,
            encoding == null ? null : encoding.including(samples, state.seen()).state(),
            state.logLinkOrNull(),
            context == null ? null : context.including(contexts(samples)).state));
  }

  /**
   * Returns the scaler of streams that are read side by side, such as the partitions of an
   * application. Each column stands for the values of all; what a scaler has not seen does not
   * count.
   *
   * @param scalers scalers of the same columns, at least one; their order matters for the samples
   *     of values that they keep
   * @throws MalformedModelException if the scalers have different columns
   */
  public static FeatureScaler mixed(List<FeatureScaler> scalers) throws MalformedModelException {
    State first = scalers.get(0).state;
    for (FeatureScaler each : scalers) {
      if (!each.fits(first)) {
        throw new MalformedModelException("the scalers that are mixed have other columns");
      }
    }
    List<RobustColumn.State> columns = new ArrayList<>();
    for (int i = 0; i < first.columns().size(); i++) {
      int column = i;
      columns.add(
          RobustColumn.mixed(
              scalers.stream().map(each -> each.state.columns().get(column)).toList()));
    }
    long seen = scalers.stream().mapToLong(each -> each.state.seen()).sum();
    List<PiecewiseLinear> encodings = new ArrayList<>();
    List<FeatureScaler> contexts = new ArrayList<>();
    for (FeatureScaler each : scalers) {
      if (each.encoding != null) {
        encodings.add(each.encoding);
      }
      if (each.context != null) {
        contexts.add(each.context);
      }
    }
    return new FeatureScaler(
        new State(
            FORMAT_VERSION,
            first.enabled(),
            first.target(),
            first.denseWidth(),
            seen,
            columns,
            encodings.isEmpty() ? null : PiecewiseLinear.mixed(encodings, seen).state(),
            first.logLinkOrNull(),
            contexts.isEmpty() ? null : mixed(contexts).state));
  }

  private boolean fits(State other) {
    PiecewiseLinear.State bins = other.encoding();
    return state.enabled() == other.enabled()
        && state.target() == other.target()
        && state.denseWidth() == other.denseWidth()
        && state.columns().size() == other.columns().size()
        && (encoding == null ? 0 : encoding.bins()) == (bins == null ? 0 : bins.bins())
        && Objects.equals(state.logLinkOrNull(), other.logLinkOrNull())
        && (context == null) == (other.context() == null);
  }

  /** Returns the contexts of samples as features. */
  private static List<Sample> contexts(List<Sample> samples) {
    return samples.stream()
        .filter(sample -> sample.context().known())
        .map(sample -> Sample.of(sample.context().values(), Sample.NO_LABEL))
        .toList();
  }

  /** Copies the values of some columns of all samples into one array for each column. */
  private void turn(List<Sample> samples, int from, int to, double[][] into) {
    int last = state.columns().size() - 1;
    int features = Math.min(to, last) - from;
    for (int row = 0; row < samples.size(); row++) {
      Sample sample = samples.get(row);
      double[] dense = sample.dense();
      for (int i = 0; i < features; i++) {
        into[i][row] = state.enabled() ? dense[from + i] : largest(dense);
      }
      if (to > last) {
        into[last - from][row] = sample.label();
      }
    }
  }

  private static double largest(double[] values) {
    double largest = 0;
    for (double value : values) {
      largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }

  /**
   * Returns a scaler of other columns. An old column keeps its centre and scale; a new column has
   * seen no value yet.
   *
   * @param dense where the dense values come from
   * @param contexts where the values of contexts come from
   */
  public FeatureScaler changed(ColumnMap dense, ColumnMap contexts) {
    List<RobustColumn.State> before = state.columns();
    List<RobustColumn.State> columns = new ArrayList<>();
    if (state.enabled()) {
      for (int i = 0; i < dense.after(); i++) {
        int source = dense.source(i);
        columns.add(
            source == ColumnMap.ADDED
                ? RobustColumn.State.missing(state.seen())
                : before.get(source));
      }
    } else if (dense.after() > 0) {
      columns.add(dense.before() > 0 ? before.get(0) : RobustColumn.State.missing(state.seen()));
    }
    columns.add(before.get(before.size() - 1));
    return new FeatureScaler(
        new State(
            FORMAT_VERSION,
            state.enabled(),
            state.target(),
            dense.after(),
            state.seen(),
            columns,
            encoding == null ? null : encoding.changed(dense).state(),
            state.logLinkOrNull(),
            context == null ? null : context.changed(contexts, ColumnMap.unchanged(0)).state));
  }

  State state() {
    return state;
  }

  /** Returns the number of samples so far. */
  public long seen() {
    return state.seen();
  }

  /** Returns the number of dense values of a sample that this scaler scales. */
  public int denseWidth() {
    return state.denseWidth();
  }

  /** Scales one dense value. */
  public float dense(int column, double value) {
    return state.enabled()
        ? (float) bounded((value - centre[column]) * factor[column], bound)
        : (float) bounded(value, bound);
  }

  /**
   * Scales the dense values of a sample.
   *
   * @param into array for the scaled values, from index {@code at}
   */
  public void dense(double[] values, float[] into, int at) {
    double most = bound;
    if (!state.enabled()) {
      for (int i = 0; i < values.length; i++) {
        into[at + i] = (float) bounded(values[i], most);
      }
      return;
    }
    double[] centres = centre;
    double[] factors = factor;
    for (int i = 0; i < values.length; i++) {
      into[at + i] = (float) bounded((values[i] - centres[i]) * factors[i], most);
    }
  }

  /**
   * Returns the scaler of samples' contexts, whose values are its dense ones.
   *
   * @throws IllegalStateException if samples have none
   */
  public FeatureScaler context() {
    if (context == null) {
      throw new IllegalStateException("the scaler scales no contexts");
    }
    return context;
  }

  /** Returns the number of values of a context; 0 if samples have none. */
  public int contextWidth() {
    return context == null ? 0 : context.denseWidth();
  }

  /**
   * Scales values like {@link #dense(double[], float[], int)}, and writes the mean for each missing
   * value.
   *
   * @param into array for the scaled values, from index {@code at}
   */
  public void numbers(double[] values, float[] into, int at) {
    dense(values, into, at);
    for (int i = 0; i < values.length; i++) {
      if (Float.isNaN(into[at + i])) {
        into[at + i] = (float) missing(i);
      }
    }
  }

  /**
   * A linear transformation: the deviation from a centre, times a factor.
   *
   * @param factor above 0
   */
  public record Linear(double centre, double factor) {}

  /** Returns the linear transformation by which a dense value is scaled, before it is bounded. */
  public Linear linear(int column) {
    return state.enabled() ? new Linear(centre[column], factor[column]) : new Linear(0, 1);
  }

  /**
   * Returns the scaled value that stands for a missing one: the mean of the column. It is 0 for a
   * column that is scaled, and the share of ones for flags.
   */
  public double missing(int column) {
    if (!state.enabled()) {
      return 0;
    }
    return bounded((state.columns().get(column).mean() - centre[column]) * factor[column], bound);
  }

  /** Returns the number of bins of each value's piecewise-linear encoding; 0 without encoding. */
  public int bins() {
    return encoding == null ? 0 : encoding.bins();
  }

  /**
   * Returns the piecewise-linear encoding of dense values.
   *
   * @throws IllegalStateException if {@link #bins} is 0
   */
  public PiecewiseLinear encoding() {
    if (encoding == null) {
      throw new IllegalStateException("the scaler encodes no values");
    }
    return encoding;
  }

  /** Returns the value, in its own units, that stands for a missing one: the mean of the column. */
  public double mean(int column) {
    return state.enabled() ? state.columns().get(column).mean() : 0;
  }

  /** Returns how the label is scaled. */
  public TargetScaling target() {
    return target;
  }

  /** Returns the largest absolute value of a dense feature that the network receives. */
  public double bound() {
    return bound;
  }

  /**
   * Returns a value, limited to a bound on either side of 0; NaN stays NaN. Compares, since
   * Math.min and Math.max take several times longer.
   */
  static double bounded(double value, double bound) {
    if (value > bound) {
      return bound;
    }
    return value < -bound ? -bound : value;
  }

  public byte[] encode() {
    try {
      return JSON.writeValueAsBytes(state);
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  public static FeatureScaler decode(byte[] bytes) throws IOException {
    return checked(JSON.readValue(bytes, State.class));
  }

  private static FeatureScaler checked(State state) throws IOException {
    if (state.formatVersion() != FORMAT_VERSION) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "scaler.json is in format %d, and not in format %d",
              state.formatVersion(),
              FORMAT_VERSION));
    }
    int features = state.enabled() ? state.denseWidth() : Math.min(1, state.denseWidth());
    List<RobustColumn.State> columns = state.columns();
    if (state.seen() < 0
        || columns == null
        || columns.size() != features + 1
        || !columns.stream().allMatch(column -> valid(column, state.seen()))) {
      throw new IOException("scaler.json is damaged: it does not hold a column for each feature");
    }
    PiecewiseLinear.@Nullable State encoding = state.encoding();
    if (encoding != null && !encoding.valid(state.denseWidth(), state.seen())) {
      throw new IOException("scaler.json is damaged: its bins are not those of its features");
    }
    State context = state.context();
    if (context != null && (context.context() != null || context.encoding() != null)) {
      throw new IOException(
          "scaler.json is damaged: its scaler of contexts has a context or bins of its own");
    } else if (context != null) {
      checked(context);
    }
    return new FeatureScaler(state);
  }

  private static boolean valid(RobustColumn.@Nullable State column, long seen) {
    return column != null && column.valid() && column.missing() <= seen;
  }
}
