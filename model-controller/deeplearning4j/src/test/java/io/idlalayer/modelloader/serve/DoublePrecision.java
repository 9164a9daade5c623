package io.idlalayer.modelloader.serve;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.nd4j.NativeMemory;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelloader.network.StackedNetwork;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.NetworkInput;
import io.idlalayer.modelruntime.serve.Experts;
import io.idlalayer.modelruntime.serve.NetworkPrediction;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What a network would predict without rounding: Deeplearning4j in double precision, on the numbers
 * in single precision that all are given.
 */
public final class DoublePrecision {
  private final ModelSpec spec;
  private final FeatureScaler scaler;
  private final byte[] file;
  private final @Nullable Experts experts;

  private DoublePrecision(ModelFiles files) {
    spec = files.spec();
    scaler = files.scaler();
    file = files.network().clone();
    experts = Experts.of(files.mixture(), spec, scaler);
  }

  /** Creates the model of a published version. */
  public static DoublePrecision of(ModelStore models, ModelCheckpoint version) throws IOException {
    ModelArtifact artifact = new ModelArtifact(models.load(version));
    return new DoublePrecision(ModelFiles.read(artifact, Long.MAX_VALUE));
  }

  /** One row for each sample: probabilities, or the target in its own unit. */
  public double[][] predict(List<Sample> samples, IdVectors vectors)
      throws MalformedModelException {
    float[] features = new NetworkInput(spec).features(samples, scaler, vectors);
    NativeMemory.begin();
    try (ArrayNetwork network = NetworkFactory.decode(spec, file);
        INDArray single = ArrayNetwork.array(features, samples.size());
        INDArray given = single.castTo(DataType.DOUBLE)) {
      double[][] outputs = output(network, given).toDoubleMatrix();
      double[][] rows = new double[outputs.length][];
      for (int i = 0; i < rows.length; i++) {
        NetworkPrediction alone = alone(samples.get(i), outputs[i]);
        rows[i] = experts == null ? alone.mean() : experts.mean(samples.get(i), alone);
      }
      return rows;
    } finally {
      NativeMemory.end();
    }
  }

  private NetworkPrediction alone(Sample sample, double[] row) {
    int plain = spec.plainMembers();
    if (spec.contextMembers() == 0 || !sample.context().known()) {
      return new NetworkPrediction(mean(row, 0, plain), null);
    }
    return new NetworkPrediction(
        mean(row, 0, spec.members()),
        new NetworkPrediction.Members(mean(row, 0, plain), mean(row, plain, spec.members())));
  }

  /** The mean of some members, that of probabilities divided by its sum; a target in its unit. */
  private double[] mean(double[] row, int from, int to) {
    int width = spec.outputWidth();
    double[] mean = new double[width];
    for (int i = from * width; i < to * width; i++) {
      mean[i % width] += row[i] / (to - from);
    }
    if (new NetworkInput(spec).regression()) {
      mean[0] = mean[0] * unit() + scaler.target().unscaled(0);
    } else if (spec.members() > 1) {
      double sum = Arrays.stream(mean).sum();
      for (int k = 0; k < width; k++) {
        mean[k] /= sum;
      }
    }
    return mean;
  }

  private static INDArray output(ArrayNetwork network, INDArray given) {
    if (network instanceof GraphNetwork graph) {
      ComputationGraph doubled = graph.layers().convertDataType(DataType.DOUBLE);
      return doubled.outputSingle(given);
    }
    if (network instanceof StackedNetwork stacked) {
      MultiLayerNetwork doubled = stacked.layers().convertDataType(DataType.DOUBLE);
      return doubled.output(given, false);
    }
    throw new IllegalArgumentException("no network of layers: " + network);
  }

  /**
   * How far predictions of a sample are away, in units of the largest number that the network is
   * given or gives (1 at least; times {@link #unit}): those are rounded to single precision, so
   * nothing can be nearer than 6e-8.
   *
   * @param exact what {@link #predict} says
   */
  public double error(Sample sample, IdVectors vectors, double[] predicted, double[] exact) {
    double largest = 1;
    for (float value : new NetworkInput(spec).features(List.of(sample), scaler, vectors)) {
      largest = Math.max(largest, Math.abs(value));
    }
    largest *= Math.max(1, unit());
    double error = 0;
    for (double value : exact) {
      largest = Math.max(largest, Math.abs(value));
    }
    for (int k = 0; k < exact.length; k++) {
      error = Math.max(error, Math.abs(predicted[k] - exact[k]));
    }
    return error / largest;
  }

  /** What a target is multiplied by; 1 for probabilities. */
  private double unit() {
    return new NetworkInput(spec).regression()
        ? scaler.target().unscaled(1) - scaler.target().unscaled(0)
        : 1;
  }
}
