package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.Sample;
import java.io.IOException;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A trained model that predicts. Belongs to one thread; {@link #close} frees its memory. */
public final class Dl4jModel implements TaskModel {
  private static final int CHUNK = 1024;
  private static final double LEAST_PROBABILITY = 1e-7;
  private static final float LARGEST_LOSS = 1e30f;

  private final NetworkInput input;
  private final FeatureScaler scaler;
  private final TrainableNetwork network;

  Dl4jModel(ModelSpec spec, FeatureScaler scaler, TrainableNetwork network) {
    input = new NetworkInput(spec);
    this.scaler = scaler;
    this.network = network;
  }

  /**
   * Loads a model from its files. Trusted files only: a DL4J configuration can name classes.
   *
   * @throws IOException naming the file that is missing or cannot be read
   */
  public static Dl4jModel load(ModelArtifact artifact) throws IOException {
    ModelSpec spec = ModelSpecJson.decode(file(artifact, ModelArtifact.SPEC_FILE));
    FeatureScaler scaler = FeatureScaler.decode(file(artifact, ModelArtifact.SCALER_FILE));
    return new Dl4jModel(
        spec, scaler, NetworkFactory.decode(spec, file(artifact, ModelArtifact.NETWORK_FILE)));
  }

  static byte[] file(ModelArtifact artifact, String name) throws IOException {
    byte[] content = artifact.files().get(name);
    if (content == null) {
      throw new IOException("the model has no " + name);
    }
    return content;
  }

  @Override
  public float[][] predict(List<Sample> samples) {
    float[][] rows = new float[samples.size()][];
    for (int from = 0; from < samples.size(); from += CHUNK) {
      predict(samples, from, rows);
    }
    return rows;
  }

  /** As {@link #predict(List)}, and looks whether the thread is interrupted from time to time. */
  float[][] predictUnlessInterrupted(List<Sample> samples) throws InterruptedException {
    float[][] rows = new float[samples.size()][];
    for (int from = 0; from < samples.size(); from += CHUNK) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      predict(samples, from, rows);
    }
    return rows;
  }

  private void predict(List<Sample> samples, int from, float[][] rows) {
    List<Sample> chunk = samples.subList(from, Math.min(samples.size(), from + CHUNK));
    try (INDArray features = input.features(chunk, scaler);
        INDArray output = network.output(features)) {
      float[][] part = output.toFloatMatrix();
      System.arraycopy(part, 0, rows, from, part.length);
    }
    if (input.regression()) {
      for (int i = from; i < from + chunk.size(); i++) {
        rows[i][0] = scaler.unscaledTarget(rows[i][0]);
      }
    }
  }

  /**
   * Finite if the predictions are. An outlying target counts as one at the edge of the range that
   * the model was trained for, so that one wild label is no larger than a very bad prediction; a
   * probability counts as at least 1e-7.
   */
  @Override
  public float[] losses(List<Sample> samples, float[][] predictions) {
    float[] losses = new float[samples.size()];
    for (int i = 0; i < losses.length; i++) {
      losses[i] = loss(samples.get(i).label(), predictions[i]);
    }
    return losses;
  }

  @Override
  public float counted(float label) {
    return input.regression() ? scaler.countedTarget(label) : label;
  }

  private float loss(float label, float[] prediction) {
    if (input.regression()) {
      double error = (double) prediction[0] - counted(label);
      return (float) Math.min(LARGEST_LOSS, error * error);
    }
    double probability = prediction[(int) label];
    return Double.isNaN(probability)
        ? Float.NaN
        : (float) -Math.log(Math.max(LEAST_PROBABILITY, probability));
  }

  /**
   * Bound of each sample's gradient norm, up to a factor that all samples share: the norm of the
   * loss gradient at the output layer's pre-activations, which for softmax with cross-entropy is
   * the distance of the prediction from the label, and for squared error twice the error
   * (Katharopoulos and Fleuret, ICML 2018, equation 20).
   */
  float[] gradientNorms(List<Sample> samples, float[][] predictions) {
    float[] norms = new float[samples.size()];
    for (int i = 0; i < norms.length; i++) {
      float label = samples.get(i).label();
      float[] prediction = predictions[i];
      double sum = 0;
      if (input.regression()) {
        double error = (double) prediction[0] - counted(label);
        double twice = 2 * scaler.scaledTargetError(error);
        sum = twice * twice;
      } else {
        for (int k = 0; k < prediction.length; k++) {
          double gap = prediction[k] - (k == (int) label ? 1 : 0);
          sum += gap * gap;
        }
      }
      norms[i] = (float) Math.min(LARGEST_LOSS, Math.sqrt(sum));
    }
    return norms;
  }

  @Override
  public void close() {
    network.close();
  }
}
