package io.idlalayer.modelruntime.serve;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.input.NetworkInput;
import io.idlalayer.modelruntime.network.MemberMean;
import io.idlalayer.modelruntime.network.PlainNetwork;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A trained model that predicts in plain Java. Immutable: any number of threads may use one model,
 * and none waits for another. If the model's rows are in a mapped file, its loader disposes of it.
 */
public final class PlainModel implements Predictor {
  private final ModelSpec spec;
  private final NetworkInput input;
  private final FeatureScaler scaler;
  private final PlainNetwork network;
  private final IdVectors vectors;

  /** The experts whose mean is predicted; null if the network is the only one. */
  private final @Nullable Experts experts;

  private PlainModel(ModelFiles files, PlainNetwork network) {
    spec = files.spec();
    input = new NetworkInput(spec);
    scaler = files.scaler();
    this.network = network;
    vectors = IdVectors.NONE;
    experts = Experts.of(files.mixture(), spec, scaler);
  }

  private PlainModel(PlainModel other, IdVectors vectors) {
    spec = other.spec;
    input = other.input;
    scaler = other.scaler;
    network = other.network;
    this.vectors = vectors;
    experts = other.experts;
  }

  /**
   * Loads a model from its files, without its rows, and makes one prediction as a test.
   *
   * @param largestBytes limit of all files together, and of the unpacked content of the network's
   *     file
   * @throws MalformedModelException if a file is missing or malformed, if the files do not belong
   *     together, or if the model does not fit into memory
   * @throws UnsupportedModelException if the network has a part that this class does not support
   */
  static PlainModel load(ModelArtifact artifact, long largestBytes)
      throws MalformedModelException, UnsupportedModelException {
    try {
      ModelFiles files = ModelFiles.read(artifact, largestBytes);
      PlainNetwork network = PlainNetwork.decode(files.spec(), files.network(), largestBytes);
      PlainModel model = new PlainModel(files, network);
      model.tryOnce();
      return model;
    } catch (MalformedModelException | UnsupportedModelException refused) {
      throw refused;
    } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError broken) {
      throw new MalformedModelException("the model cannot be loaded: " + broken, broken);
    }
  }

  /** Returns this model with the rows for the ids of all samples. */
  PlainModel with(ServedRows rows) {
    return new PlainModel(this, rows);
  }

  private void tryOnce() {
    SampleSchema schema = spec.schema();
    Sample sample =
        new Sample("", new double[schema.denseWidth()], new int[schema.categorical().size()], 0);
    predict(List.of(sample), IdVectors.NONE);
  }

  @Override
  public ModelSpec spec() {
    return spec;
  }

  /** Returns the rows of the model's tables; empty if it has none. */
  public Optional<ServedRows> rows() {
    return vectors instanceof ServedRows served ? Optional.of(served) : Optional.empty();
  }

  /** Closes the rows of the model's tables; rows on the heap stay usable. */
  void close() {
    rows().ifPresent(ServedRows::close);
  }

  @Override
  public long unknownIds() {
    return rows().map(ServedRows::unknownIds).orElse(0L);
  }

  @Override
  public double[][] predict(List<Sample> samples) {
    for (Sample sample : samples) {
      check(sample);
    }
    return predict(samples, vectors);
  }

  /** Predicts for one sample. Its label has no influence. */
  public double[] predict(Sample sample) {
    return predict(List.of(sample))[0];
  }

  private double[][] predict(List<Sample> samples, IdVectors given) {
    double[][] rows = new double[samples.size()][];
    int step = network.rowsAtOnce();
    for (int from = 0; from < rows.length; from += step) {
      List<Sample> chunk = samples.subList(from, Math.min(rows.length, from + step));
      float[] output = network.output(input.rows(chunk, scaler, given));
      for (int i = 0; i < chunk.size(); i++) {
        Sample sample = chunk.get(i);
        NetworkPrediction alone = alone(output, i * network.outputs(), sample);
        rows[from + i] = experts == null ? alone.mean() : experts.mean(sample, alone);
      }
    }
    return rows;
  }

  /** Returns what the network alone predicts, for a row of its output. */
  private NetworkPrediction alone(float[] output, int at, Sample sample) {
    if (spec.contextMembers() == 0 || !sample.context().known()) {
      return new NetworkPrediction(mean(output, at, MemberMean.WITHOUT_CONTEXT), null);
    }
    return new NetworkPrediction(
        mean(output, at, MemberMean.ALL),
        new NetworkPrediction.Members(
            mean(output, at, MemberMean.WITHOUT_CONTEXT), mean(output, at, MemberMean.IN_CONTEXT)));
  }

  /**
   * @param place place of the mean in the row ({@link MemberMean})
   */
  private double[] mean(float[] output, int at, int place) {
    double[] row = new double[spec.outputWidth()];
    for (int k = 0; k < row.length; k++) {
      row[k] = output[at + place * row.length + k];
    }
    if (input.regression()) {
      row[0] = scaler.target().unscaled(row[0]);
    }
    return row;
  }

  private void check(Sample sample) {
    SampleSchema schema = spec.schema();
    List<SampleSchema.CategoricalFeature> features = schema.categorical();
    int[] buckets = sample.categorical();
    if (sample.dense().length != schema.denseWidth() || buckets.length != features.size()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the sample has %d dense and %d categorical values, the model takes %d and %d",
              sample.dense().length,
              buckets.length,
              schema.denseWidth(),
              features.size()));
    }
    int context = sample.context().values().length;
    if (sample.context().known() && context != schema.contextWidth()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the sample has a context of %d values, the model takes %d",
              context,
              schema.contextWidth()));
    }
    if (sample.ids().features() != schema.ids().size()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the sample has ids of %d features, the model takes %d",
              sample.ids().features(),
              schema.ids().size()));
    }
    for (int i = 0; i < buckets.length; i++) {
      if (buckets[i] < 0 || buckets[i] >= features.get(i).buckets()) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT,
                "feature '%s' of the sample has bucket %d, but there are only %d buckets",
                features.get(i).name(),
                buckets[i],
                features.get(i).buckets()));
      }
    }
  }
}
