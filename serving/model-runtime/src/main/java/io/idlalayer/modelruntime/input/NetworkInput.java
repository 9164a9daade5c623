package io.idlalayer.modelruntime.input;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.PiecewiseLinear;
import io.idlalayer.modelruntime.network.InputColumns;
import io.idlalayer.modelruntime.network.InputRows;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Converts samples into rows of a network's input: the scaled context, 0 if a sample has none, and
 * scaled dense values, then the one-hot of each categorical feature, then the piecewise-linear
 * encoding of the dense values, or the values from the rows of the samples' ids.
 */
public final class NetworkInput {
  private final ModelSpec spec;
  private final InputColumns columns;
  private final int outputs;
  private final int members;

  /** Whether the input has the piecewise-linear encoding of the dense values. */
  private final boolean encoded;

  /** Number of values of a context. */
  private final int context;

  private final boolean regression;

  /**
   * Columns in which NaN stands for the mean: those of features that an event may lack, and those
   * that no event may lack, which samples lack that are older than the feature.
   */
  private final int[] means;

  public NetworkInput(ModelSpec spec) {
    this.spec = spec;
    columns = InputColumns.of(spec);
    outputs = spec.outputWidth();
    members = spec.members();
    encoded = spec.bins() > 0;
    context = spec.schema().contextWidth();
    means = ofMeans(spec.schema());
    regression = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
  }

  private static int[] ofMeans(SampleSchema schema) {
    IntStream.Builder columns = IntStream.builder();
    int at = 0;
    for (SampleSchema.DenseFeature feature : schema.dense()) {
      boolean mean = feature.reading().missing() != SampleSchema.Missing.ZERO;
      for (int i = 0; i < feature.values(); i++) {
        if (mean) {
          columns.add(at);
        }
        at++;
      }
    }
    return columns.build().toArray();
  }

  public boolean regression() {
    return regression;
  }

  /**
   * Returns the features of samples in the form of the network's input; shape [samples, input
   * width].
   *
   * @param vectors vectors of the samples' ids
   */
  public float[] features(List<Sample> samples, FeatureScaler scaler, IdVectors vectors) {
    return rows(samples, scaler, vectors).dense();
  }

  /**
   * Returns the features of samples in the form that networks in plain Java take.
   *
   * @param vectors vectors of the samples' ids
   */
  public InputRows rows(List<Sample> samples, FeatureScaler scaler, IdVectors vectors) {
    float[] numbers = new float[samples.size() * columns.numbers()];
    int[] ones = new int[samples.size() * columns.categorical()];
    for (int row = 0; row < samples.size(); row++) {
      Sample sample = samples.get(row);
      int from = row * columns.numbers() + context;
      if (context > 0 && sample.context().known()) {
        scaler.context().numbers(sample.context().values(), numbers, from - context);
      }
      scaler.dense(sample.dense(), numbers, from);
      for (int column : means) {
        if (Float.isNaN(numbers[from + column])) {
          numbers[from + column] = (float) scaler.missing(column);
        }
      }
      if (encoded) {
        encode(sample.dense(), scaler, numbers, from + columns.oneHotFrom() - context);
      } else {
        vectors.fill(sample.ids(), numbers, from + columns.oneHotFrom() - context);
      }
      int at = columns.oneHotFrom();
      for (int i = 0; i < columns.categorical(); i++) {
        ones[row * columns.categorical() + i] = at + sample.categorical()[i];
        at += spec.schema().categorical().get(i).buckets();
      }
    }
    return new InputRows(columns, samples.size(), numbers, ones);
  }

  /**
   * Returns the labels of samples in the form of the network's output, one-hot classes or scaled
   * targets, once for each member; shape [samples, members, output width], row by row.
   */
  public float[] labels(List<Sample> samples, FeatureScaler scaler) {
    float[] values = new float[samples.size() * members * outputs];
    for (int row = 0; row < samples.size(); row++) {
      double label = samples.get(row).label();
      int from = row * members * outputs;
      if (regression) {
        Arrays.fill(values, from, from + members, scaler.target().scaled(label));
      } else {
        for (int member = 0; member < members; member++) {
          values[from + member * outputs + (int) label] = 1;
        }
      }
    }
    return values;
  }

  /** Writes the piecewise-linear encoding of the values of a sample. */
  private void encode(double[] values, FeatureScaler scaler, float[] into, int at) {
    PiecewiseLinear encoding = scaler.encoding();
    encoding.encode(values, into, at);
    for (int column : means) {
      if (Double.isNaN(values[column])) {
        encoding.encode(column, scaler.mean(column), into, at);
      }
    }
  }
}
