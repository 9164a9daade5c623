package io.idlalayer.modelloader.serve;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import io.idlalayer.modelruntime.artifact.TargetScaling;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import io.idlalayer.modelruntime.input.NetworkInput;
import io.idlalayer.modelruntime.network.MemberMean;
import io.idlalayer.modelruntime.serve.Experts;
import io.idlalayer.modelruntime.serve.NetworkPrediction;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A trained model that predicts: with the training engine, or, if it was loaded from files, with
 * Deeplearning4j and SameDiff if they are on the class path and run on this machine, else in plain
 * Java. Several threads may use one model; its network serves them one after the other. {@link
 * #close} frees its memory.
 */
public final class Dl4jModel implements TaskModel, Predictor {
  private static final int CHUNK = 1024;
  private static final double LEAST_PROBABILITY = 1e-7;
  private static final float LARGEST_LOSS = 1e30f;

  private final ModelSpec spec;
  private final NetworkInput input;
  private final FeatureScaler scaler;
  private final TargetScaling targets;
  private final PredictingNetwork network;
  private final IdVectors vectors;

  /** The experts whose mean is predicted; null if the network is the only one. */
  private final @Nullable Experts experts;

  /** Averages the outputs of the network's members; null if there is one. */
  private final @Nullable MemberMean mean;

  /** The loss of targets in their own units. */
  private final TargetLoss targetLoss;

  private boolean closed;

  /**
   * Creates a model without tables, or a model whose callers pass the vectors of ids with the
   * samples.
   */
  public Dl4jModel(ModelSpec spec, FeatureScaler scaler, PredictingNetwork network) {
    this(spec, scaler, network, IdVectors.NONE);
  }

  /**
   * @param vectors vectors of the ids of all samples
   */
  public Dl4jModel(
      ModelSpec spec, FeatureScaler scaler, PredictingNetwork network, IdVectors vectors) {
    this(spec, scaler, network, vectors, null);
  }

  private Dl4jModel(
      ModelSpec spec,
      FeatureScaler scaler,
      PredictingNetwork network,
      IdVectors vectors,
      @Nullable ServedMixture mixture) {
    input = new NetworkInput(spec);
    this.spec = spec;
    this.vectors = vectors;
    this.scaler = scaler;
    targets = scaler.target();
    this.network = network;
    mean = spec.members() == 1 ? null : MemberMean.of(spec);
    targetLoss = spec.loss().in(1 / targets.linear().factor());
    experts = Experts.of(mixture, spec, scaler);
  }

  /**
   * Creates a model from its parsed files and the network that was read from them. Callers pass the
   * vectors of ids with the samples.
   */
  public static Dl4jModel of(ModelFiles files, PredictingNetwork network) {
    return new Dl4jModel(files.spec(), files.scaler(), network, IdVectors.NONE, files.mixture());
  }

  /**
   * Loads a model from its files, and makes one prediction as a test.
   *
   * @throws MalformedModelException if a file is missing or is not one that a trainer writes, if
   *     the files do not belong together, or if the model does not fit into memory
   */
  public static Dl4jModel load(ModelArtifact artifact) throws MalformedModelException {
    return load(artifact, ZipEntries.LARGEST_BYTES);
  }

  /**
   * Loads a model without tables.
   *
   * @param largestBytes limit of all files together, and of the unpacked content of the network's
   *     file
   */
  public static Dl4jModel load(ModelArtifact artifact, long largestBytes)
      throws MalformedModelException {
    return load(artifact, largestBytes, IdVectors.NONE);
  }

  /**
   * Loads a model with the rows of its tables.
   *
   * @param vectors vectors of the ids of all samples
   */
  static Dl4jModel load(ModelArtifact artifact, long largestBytes, IdVectors vectors)
      throws MalformedModelException {
    try {
      ModelFiles files = ModelFiles.read(artifact, largestBytes);
      ModelSpec spec = files.spec();
      Optional<PredictionLibrary> library = PredictionLibrary.find();
      PredictingNetwork network =
          library.isPresent()
              ? library.get().decode(spec, files.network(), largestBytes)
              : PlainPrediction.decode(spec, files.network(), largestBytes);
      return tried(spec, new Dl4jModel(spec, files.scaler(), network, vectors, files.mixture()));
    } catch (MalformedModelException refused) {
      throw refused;
    } catch (IOException
        | RuntimeException
        | LinkageError
        | StackOverflowError
        | OutOfMemoryError broken) {
      throw new MalformedModelException("the model cannot be loaded: " + broken, broken);
    }
  }

  /**
   * Returns a model after one test prediction, which must have the shape that the model's
   * specification gives.
   */
  private static Dl4jModel tried(ModelSpec spec, Dl4jModel model) throws MalformedModelException {
    boolean done = false;
    try {
      SampleSchema schema = spec.schema();
      Sample sample =
          new Sample("", new double[schema.denseWidth()], new int[schema.categorical().size()], 0);
      IdVectors zeros = (ids, input, at) -> {};
      int width = model.predict(List.of(sample), zeros)[0].length;
      if (width != spec.outputWidth()) {
        throw new MalformedModelException(
            String.format(
                Locale.ROOT,
                "the network gives %d values, and its specification says %d",
                width,
                spec.outputWidth()));
      }
      done = true;
      return model;
    } finally {
      if (!done) {
        model.close();
      }
    }
  }

  @Override
  public ModelSpec spec() {
    return spec;
  }

  /**
   * Returns whether the model has tables. Callers may then pass the vectors of ids with the
   * samples.
   */
  boolean tables() {
    return !spec.embeddings().tables().isEmpty();
  }

  /** Returns the rows of the model's tables; empty if the model holds none. */
  Optional<ServedRows> rows() {
    return vectors instanceof ServedRows served ? Optional.of(served) : Optional.empty();
  }

  @Override
  public long unknownIds() {
    return rows().map(ServedRows::unknownIds).orElse(0L);
  }

  /**
   * @throws IllegalStateException if the model is closed
   */
  @Override
  public double[][] predict(List<Sample> samples) {
    return predict(samples, vectors);
  }

  @Override
  public double[][] predict(List<Sample> samples, IdVectors given) {
    return means(samples, predictAlone(samples, given));
  }

  @Override
  public @Nullable Experts experts() {
    return experts;
  }

  private double[][] means(List<Sample> samples, List<NetworkPrediction> alone) {
    double[][] rows = new double[alone.size()][];
    for (int i = 0; i < rows.length; i++) {
      NetworkPrediction network = alone.get(i);
      rows[i] = experts == null ? network.mean() : experts.mean(samples.get(i), network);
    }
    return rows;
  }

  @Override
  public synchronized List<NetworkPrediction> predictAlone(List<Sample> samples, IdVectors given) {
    if (closed) {
      throw new IllegalStateException("the model is closed, its memory is freed");
    }
    requireVectors(given);
    List<NetworkPrediction> alone = new ArrayList<>(samples.size());
    for (int from = 0; from < samples.size(); from += CHUNK) {
      predict(samples, given, from, alone);
    }
    return alone;
  }

  /** Throws if a model with tables gets no vectors: it would predict with zeros in their place. */
  private void requireVectors(IdVectors given) {
    if (tables() && given == IdVectors.NONE) {
      throw new IllegalStateException(
          "the model has tables: load it from a model store with Dl4jModelLoader, or give the"
              + " vectors of the samples' ids");
    }
  }

  /**
   * Predicts like {@link #predict(List)}, and checks for an interrupt of the thread from time to
   * time.
   */
  public double[][] predictUnlessInterrupted(List<Sample> samples) throws InterruptedException {
    requireVectors(vectors);
    List<NetworkPrediction> alone = new ArrayList<>(samples.size());
    for (int from = 0; from < samples.size(); from += CHUNK) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      predict(samples, vectors, from, alone);
    }
    return means(samples, alone);
  }

  private void predict(
      List<Sample> samples, IdVectors given, int from, List<NetworkPrediction> alone) {
    List<Sample> chunk = samples.subList(from, Math.min(samples.size(), from + CHUNK));
    float[] output = network.output(input.features(chunk, scaler, given), chunk.size());
    int width = output.length / chunk.size();
    for (int i = 0; i < chunk.size(); i++) {
      alone.add(alone(output, i, width, chunk.get(i).context().known()));
    }
  }

  /**
   * Returns the prediction of the network alone for one row of its output; if the network has
   * several members, the prediction of all of them.
   *
   * @param output output of the network; shape [rows, width]
   * @throws IllegalArgumentException if the network has several members, and they do not give this
   *     width
   */
  public double[] prediction(float[] output, int row, int width) {
    return alone(output, row, width, true).mean();
  }

  /**
   * @param inContext whether the row has a context, so that the members that use a context count
   */
  private NetworkPrediction alone(float[] output, int row, int width, boolean inContext) {
    float[] linked = targets.logLink() ? exponentials(output, row, width) : output;
    int at = targets.logLink() ? 0 : row;
    MemberMean members = mean;
    if (members == null) {
      return new NetworkPrediction(unscaled(linked, at * width, width), null);
    }
    if (width != spec.networkOutputs()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the network gives %d values, and its members %d",
              width,
              spec.networkOutputs()));
    }
    float[] means = new float[members.width()];
    members.row(linked, at, means, 0);
    double[] withoutContext = unscaled(members, means, MemberMean.WITHOUT_CONTEXT);
    return members.takesContext() && inContext
        ? new NetworkPrediction(
            unscaled(members, means, MemberMean.ALL),
            new NetworkPrediction.Members(
                withoutContext, unscaled(members, means, MemberMean.IN_CONTEXT)))
        : new NetworkPrediction(withoutContext, null);
  }

  private double[] unscaled(MemberMean members, float[] means, int place) {
    return unscaled(means, place * members.outputs(), members.outputs());
  }

  /** Returns probabilities, or a target in its own units. */
  private double[] unscaled(float[] output, int from, int width) {
    double[] values = new double[width];
    for (int k = 0; k < width; k++) {
      values[k] = output[from + k];
    }
    if (input.regression()) {
      values[0] = targets.unscaled(values[0]);
    }
    return values;
  }

  /** Returns the powers of e to the outputs of one row. */
  private static float[] exponentials(float[] output, int row, int width) {
    float[] values = new float[width];
    for (int k = 0; k < width; k++) {
      values[k] = (float) Math.exp(output[row * width + k]);
    }
    return values;
  }

  /**
   * Returns the loss of each sample; the loss of a target is in the target's own units. A loss is
   * finite if the prediction is. An outlying target counts as if it lay at the edge of the range
   * for which the model was trained, so one wild label costs no more than a very bad prediction. A
   * probability counts as at least 1e-7.
   */
  @Override
  public float[] losses(List<Sample> samples, double[][] predictions) {
    float[] losses = new float[samples.size()];
    for (int i = 0; i < losses.length; i++) {
      losses[i] = loss(samples.get(i).label(), predictions[i]);
    }
    return losses;
  }

  @Override
  public double counted(double label) {
    return input.regression() ? targets.counted(label) : label;
  }

  private float loss(double label, double[] prediction) {
    if (input.regression()) {
      double loss = targetLoss.loss(prediction[0], counted(label));
      return (float) Math.min(LARGEST_LOSS, loss);
    }
    double probability = prediction[(int) label];
    return Double.isNaN(probability)
        ? Float.NaN
        : (float) -Math.log(Math.max(LEAST_PROBABILITY, probability));
  }

  /**
   * Returns a bound of each sample's gradient norm, up to a factor that all samples share: the norm
   * of the loss gradient at the output layer's pre-activations. For softmax with cross-entropy this
   * is the distance of the prediction from the label, and for a target the slope of its loss, such
   * as twice the error (Katharopoulos 2018, equation 20). For several members, the bound is
   * computed from their mean prediction.
   */
  public float[] gradientNorms(List<Sample> samples, double[][] predictions) {
    float[] norms = new float[samples.size()];
    for (int i = 0; i < norms.length; i++) {
      double label = samples.get(i).label();
      double[] prediction = predictions[i];
      double sum = 0;
      if (input.regression()) {
        double error = prediction[0] - counted(label);
        // All slopes depend on the error alone.
        double slope = spec.loss().slope(targets.scaledError(error), 0);
        sum = slope * slope;
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
  public synchronized void close() {
    if (!closed) {
      closed = true;
      network.close();
      rows().ifPresent(ServedRows::close);
    }
  }
}
