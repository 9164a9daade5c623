package io.idlalayer.modelruntime.input;

import io.idlalayer.middleware.embedding.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;

/**
 * Turns samples into the rows a network takes: scaled dense values, then the one-hot of each
 * categorical feature, then what the rows of the samples' ids give.
 */
public final class NetworkInput {
  private final ModelSpec spec;
  private final int width;
  private final int outputs;
  private final boolean regression;

  public NetworkInput(ModelSpec spec) {
    this.spec = spec;
    width = spec.inputWidth();
    outputs = spec.outputWidth();
    regression = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
  }

  public boolean regression() {
    return regression;
  }

  /**
   * Shape [samples, input width], row by row.
   *
   * @param vectors of the samples' ids
   */
  public float[] features(List<Sample> samples, FeatureScaler scaler, IdVectors vectors) {
    float[] values = new float[samples.size() * width];
    int vectorColumns = spec.vectorColumns();
    for (int row = 0; row < samples.size(); row++) {
      fill(samples.get(row), scaler, values, row * width);
      vectors.fill(samples.get(row).ids(), values, row * width + vectorColumns);
    }
    return values;
  }

  private void fill(Sample sample, FeatureScaler scaler, float[] values, int from) {
    float[] dense = sample.dense();
    scaler.dense(dense, values, from);
    int at = from + dense.length;
    List<SampleSchema.CategoricalFeature> features = spec.schema().categorical();
    for (int i = 0; i < features.size(); i++) {
      values[at + sample.categorical()[i]] = 1;
      at += features.get(i).buckets();
    }
  }

  /** Shape [samples, output width], row by row: one-hot classes or scaled targets. */
  public float[] labels(List<Sample> samples, FeatureScaler scaler) {
    float[] values = new float[samples.size() * outputs];
    for (int row = 0; row < samples.size(); row++) {
      float label = samples.get(row).label();
      if (regression) {
        values[row] = scaler.target(label);
      } else {
        values[row * outputs + (int) label] = 1;
      }
    }
    return values;
  }
}
