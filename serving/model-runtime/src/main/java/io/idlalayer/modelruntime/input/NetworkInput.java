package io.idlalayer.modelruntime.input;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.network.InputColumns;
import io.idlalayer.modelruntime.network.InputRows;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Converts samples into rows of a network's input: scaled dense values, then the one-hot of each
 * categorical feature, then the values from the rows of the samples' ids.
 */
public final class NetworkInput {
  private final ModelSpec spec;
  private final InputColumns columns;
  private final int outputs;
  private final boolean regression;

  /** Columns in which NaN stands for the mean. */
  private final int[] means;

  public NetworkInput(ModelSpec spec) {
    this.spec = spec;
    columns = InputColumns.of(spec);
    outputs = spec.outputWidth();
    means = ofMeans(spec.schema());
    regression = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
  }

  private static int[] ofMeans(SampleSchema schema) {
    IntStream.Builder columns = IntStream.builder();
    int at = 0;
    for (SampleSchema.DenseFeature feature : schema.dense()) {
      boolean mean = feature.reading().missing() == SampleSchema.Missing.MEAN;
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
      int from = row * columns.numbers();
      scaler.dense(sample.dense(), numbers, from);
      for (int column : means) {
        if (Float.isNaN(numbers[from + column])) {
          numbers[from + column] = (float) scaler.missing(column);
        }
      }
      vectors.fill(sample.ids(), numbers, from + columns.oneHotFrom());
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
   * targets; shape [samples, output width], row by row.
   */
  public float[] labels(List<Sample> samples, FeatureScaler scaler) {
    float[] values = new float[samples.size() * outputs];
    for (int row = 0; row < samples.size(); row++) {
      double label = samples.get(row).label();
      if (regression) {
        values[row] = scaler.target(label);
      } else {
        values[row * outputs + (int) label] = 1;
      }
    }
    return values;
  }
}
