package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.memory.device.DeviceLostException;
import io.idlalayer.middleware.memory.device.TieredMemoryException;
import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.memory.InterruptedRunException;
import io.idlalayer.modelcontroller.engine.memory.NoPartException;
import io.idlalayer.modelcontroller.training.TrainingFailedException.Kind;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.CoarseColumn;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.input.NetworkInput;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Trains a network in mini-batches, whichever engine computes it. The loss of a mini-batch is the
 * mean of its rows, weighted by the samples' importance; rows with equal content are computed once,
 * with their number as weight.
 *
 * <p>The network of the last training is kept, so that a training that continues from this network
 * need not read the network from its file. The result is the same bit for bit.
 */
final class NetworkTrainer implements Trainer {
  /** Largest number of samples that a message names. */
  private static final int NAMED = 10;

  private final ModelSpec spec;

  /** The file of the specification, which is part of each model. */
  private final byte[] specFile;

  private final ModelChange change;
  private final boolean heldOut;
  private final NetworkInput input;
  private final FollowedScale followed;
  private final TrainingEngine engine;

  private @Nullable Retained retained;

  /**
   * The networks that the last training left, to continue from them.
   *
   * @param artifact the artifact of these networks, as long as another object references it; if
   *     none does, no training continues from them
   * @param statistics scaler of the learner's own samples, if the network is trained with another
   *     one that does not change; else null
   */
  private record Retained(
      WeakReference<ModelArtifact> artifact,
      TrainableNetwork network,
      FeatureScaler scaler,
      @Nullable FeatureScaler statistics,
      @Nullable HeldOutModel heldOut) {
    void close() {
      network.close();
      if (heldOut != null) {
        heldOut.close();
      }
    }
  }

  /**
   * @param heldOut whether a second network is trained on a slice of the samples, to measure the
   *     reducible part of each loss; this adds an eighth to the training time
   * @param engine engine for this specification; closed with the trainer
   */
  public NetworkTrainer(ModelSpec spec, boolean heldOut, TrainingEngine engine) {
    this.spec = spec;
    specFile = ModelSpecJson.encode(spec);
    change = new ModelChange(spec);
    this.heldOut = heldOut;
    this.engine = engine;
    input = new NetworkInput(spec);
    followed = new FollowedScale(spec);
  }

  @Override
  public TrainingResult train(TrainingRequest request)
      throws TrainingFailedException, InterruptedException {
    try {
      return LostMemory.repeating(fitting(request), this::attempted);
    } catch (InterruptedRunException interrupted) {
      throw interrupted.interrupt();
    } catch (NoPartException stuck) {
      throw new TrainingFailedException(
          Kind.NO_SPACE,
          "update %d has no memory for its tensors: %s"
              .formatted(request.batch().updateNumber(), stuck.getMessage()),
          stuck);
    } catch (DeviceLostException lost) {
      throw new TrainingFailedException(
          Kind.BACKEND,
          "update %d lost memory of other processes (memory.tensors.lenders) %d times: %s"
              .formatted(request.batch().updateNumber(), LostMemory.MOST_LOSSES, lost.getMessage()),
          lost);
    } catch (TieredMemoryException failed) {
      throw new TrainingFailedException(
          Kind.NO_SPACE,
          "the tensors of update %d cannot be placed (memory.tensors): %s; raise fast-bytes or slow-bytes, or lower training.mini-batch"
              .formatted(request.batch().updateNumber(), failed.getMessage()),
          failed);
    } catch (IOException | RuntimeException | Error failed) {
      // Native code signals its failures as errors, running out of memory among them.
      throw new TrainingFailedException(
          Kind.BACKEND,
          "the backend failed in update %d: %s".formatted(request.batch().updateNumber(), failed),
          failed);
    }
  }

  /** Returns a request whose base model takes the features that samples have now. */
  private TrainingRequest fitting(TrainingRequest request) throws TrainingFailedException {
    ModelArtifact base = request.base();
    if (base == null) {
      return request;
    }
    try {
      ModelArtifact fitting = change.fitting(base);
      return fitting.equals(base) ? request : request.from(fitting);
    } catch (IOException broken) {
      throw unusable(broken);
    }
  }

  private TrainingResult attempted(TrainingRequest request)
      throws TrainingFailedException, InterruptedException, IOException {
    Retained base = null;
    try {
      if (!engine.begin(this::closeRetained)) {
        closeRetained();
      }
      long start = System.nanoTime();
      // The traffic of a failed training does not belong to this training.
      var unused = engine.traffic();
      base = base(request);
      retained = null;
      FeatureScaler scaler = scaler(request, base);
      byte[] folded = folded(request, base, scaler);
      if (folded != null) {
        Retained given = base;
        base = null;
        base = replaced(given, folded, scaler);
      }
      TrainingResult result = train(request, base, scaler, start);
      base = null;
      checkGrowth(request, result.meanLossAfter());
      return result;
    } catch (DivergedException diverged) {
      // There is not always memory for two networks.
      closeAll(base);
      base = null;
      throw failed(request, diverged);
    } finally {
      try {
        closeAll(base);
      } finally {
        engine.end();
      }
    }
  }

  private static void closeAll(@Nullable Retained networks) {
    if (networks != null) {
      networks.close();
    }
  }

  /**
   * Returns the exception for a diverged training; it names the rows that have no finite loss under
   * the base model, which the training has not changed.
   */
  private TrainingFailedException failed(TrainingRequest request, DivergedException diverged)
      throws TrainingFailedException, InterruptedException {
    long[] culprits = diverged.sampleIds();
    if (culprits.length == 0) {
      culprits = notFinite(request.batch().rows(), untouchedLosses(request, diverged.scaler()));
    }
    String whose =
        culprits.length == 0
            ? "lower training.learning-rate if this repeats"
            : "because of %d of %d rows: samples %s%s"
                .formatted(
                    culprits.length,
                    request.batch().rows().size(),
                    Arrays.stream(culprits)
                        .limit(NAMED)
                        .mapToObj(Long::toString)
                        .collect(Collectors.joining(", ")),
                    culprits.length > NAMED ? ", ..." : "");
    return new TrainingFailedException(
        Kind.DIVERGED,
        "update %d diverged: %s; %s"
            .formatted(request.batch().updateNumber(), diverged.getMessage(), whose),
        null,
        culprits);
  }

  /** Returns the ids of the rows whose loss is not finite. */
  private static long[] notFinite(List<TrainingRow> rows, float[] losses) {
    return IntStream.range(0, losses.length)
        .filter(i -> !Float.isFinite(losses[i]))
        .mapToLong(i -> rows.get(i).sampleId())
        .toArray();
  }

  private Retained base(TrainingRequest request) throws TrainingFailedException {
    Retained last = retained;
    ModelArtifact artifact = request.base();
    if (last != null && artifact != null && artifact.equals(last.artifact().get())) {
      return last;
    }
    closeRetained();
    FeatureScaler scaler = scaler(artifact);
    FeatureScaler statistics = statistics(artifact);
    TrainableNetwork network = network(request);
    boolean whole = false;
    try {
      Retained read =
          new Retained(
              new WeakReference<>(artifact),
              network,
              scaler,
              statistics,
              heldOut(request, artifact));
      whole = true;
      return read;
    } finally {
      if (!whole) {
        network.close();
      }
    }
  }

  /** Returns the feature scaler of the base model of a training. */
  private FeatureScaler scaler(@Nullable ModelArtifact base) throws TrainingFailedException {
    if (base == null) {
      return FeatureScaler.empty(spec);
    }
    try {
      checkFits(ModelSpecJson.decode(base.file(ModelArtifact.SPEC_FILE)));
      return FeatureScaler.decode(base.file(ModelArtifact.SCALER_FILE));
    } catch (IOException broken) {
      throw unusable(broken);
    }
  }

  /**
   * Returns the scaler of the learner's own samples if the scaler of the base model does not change
   * during trainings; else null.
   */
  private static @Nullable FeatureScaler statistics(@Nullable ModelArtifact base)
      throws TrainingFailedException {
    byte[] file = base == null ? null : base.files().get(ModelArtifact.STATISTICS_FILE);
    try {
      return file == null ? null : FeatureScaler.decode(file);
    } catch (IOException broken) {
      throw unusable(broken);
    }
  }

  /** Returns the network from which the training starts, read from the base model or created. */
  private TrainableNetwork network(TrainingRequest request) throws TrainingFailedException {
    ModelArtifact artifact = request.base();
    if (artifact == null) {
      return engine.create(request.seed());
    }
    try {
      return engine.decode(artifact.file(ModelArtifact.NETWORK_FILE));
    } catch (IOException broken) {
      throw unusable(broken);
    }
  }

  private static TrainingFailedException unusable(IOException broken) {
    return new TrainingFailedException(
        Kind.BAD_BASE_MODEL, "the base model cannot be used: " + broken.getMessage(), broken);
  }

  private @Nullable HeldOutModel heldOut(TrainingRequest request, @Nullable ModelArtifact artifact)
      throws TrainingFailedException {
    if (!heldOut) {
      return null;
    }
    byte[] file = artifact == null ? null : artifact.files().get(ModelArtifact.HELD_OUT_FILE);
    try {
      return new HeldOutModel(file == null ? engine.create(~request.seed()) : engine.decode(file));
    } catch (IOException broken) {
      throw new TrainingFailedException(
          Kind.BAD_BASE_MODEL, "the held-out model cannot be used: " + broken.getMessage(), broken);
    }
  }

  /**
   * Refuses a base model of another network or shape, which would fail in every training or train
   * the wrong network.
   */
  private void checkFits(ModelSpec base) throws IOException {
    if (!base.network().equals(spec.network())
        || !base.loss().equals(spec.loss())
        || base.inputWidth() != spec.inputWidth()
        || base.outputWidth() != spec.outputWidth()) {
      throw new IOException(
          "it is %s, the application asks for %s; start afresh in another work directory"
              .formatted(shape(base), shape(spec)));
    }
  }

  private static String shape(ModelSpec spec) {
    return "%s with %d inputs, %d outputs and the loss %s"
        .formatted(spec.network(), spec.inputWidth(), spec.outputWidth(), spec.loss().kind());
  }

  private static List<Sample> fresh(TrainingRequest request) {
    return request.batch().rows().stream()
        .filter(row -> row.fresh() && row.sample().weight() > 0)
        .map(TrainingRow::sample)
        .toList();
  }

  /** Returns the scaler with which a training runs. */
  private static FeatureScaler scaler(TrainingRequest request, Retained base)
      throws InterruptedException {
    return base.statistics() == null ? base.scaler().including(fresh(request)) : base.scaler();
  }

  /**
   * Returns the network's file for another scaler if the network follows changes of its scaler;
   * null if the network does not change.
   */
  private byte @Nullable [] folded(TrainingRequest request, Retained base, FeatureScaler scaler)
      throws IOException {
    return followed.follows(request.base(), base.scaler())
        ? followed.fold(base.network().encode(), base.scaler(), scaler)
        : null;
  }

  /** Replaces a network by another one; closes all if that fails. */
  private Retained replaced(Retained base, byte[] file, FeatureScaler scaler) throws IOException {
    // There is not always memory for two networks.
    base.network().close();
    HeldOutModel heldOut = base.heldOut();
    boolean whole = false;
    try {
      TrainableNetwork network = engine.decode(file);
      whole = true;
      return new Retained(base.artifact(), network, scaler, base.statistics(), heldOut);
    } finally {
      if (!whole && heldOut != null) {
        heldOut.close();
      }
    }
  }

  private TrainingResult train(
      TrainingRequest request, Retained base, FeatureScaler scaler, long start)
      throws DivergedException, InterruptedException, IOException {
    List<TrainingRow> rows = request.batch().rows();
    FeatureScaler own = base.statistics();
    FeatureScaler statistics = own == null ? null : own.including(fresh(request));
    RowWeights weights = RowWeights.of(rows);
    TrainableNetwork network = base.network();
    RowBatch tables = tables(request);
    float[] before = lossesBefore(request, base.scaler(), scaler, network);
    HeldOutModel second = base.heldOut();
    float[] outside = second == null ? null : second.losses(rows, spec, scaler);
    Dl4jModel trained = new Dl4jModel(spec, scaler, network, vectors(tables));
    RowMeasures measures = new RowMeasures(trained, rows.size());
    boolean fromPasses = fromPasses(network);
    int steps = fit(request, rows, network, scaler, tables, fromPasses ? measures : null);
    if (!network.finite()) {
      throw new DivergedException("a parameter or the updater's state is not finite", scaler);
    }
    if (tables != null && !tables.finite()) {
      throw new DivergedException("a row of a table is not finite", scaler);
    }
    if (second != null) {
      List<TrainingRow> slice =
          rows.stream().filter(row -> HeldOutModel.slice(row.sampleId())).toList();
      fit(request, slice, second.network(), scaler, null, null);
    }
    int[] unmeasured = fromPasses ? weights.untrained() : IntStream.range(0, rows.size()).toArray();
    if (unmeasured.length > 0) {
      List<Sample> samples = samples(rows, unmeasured);
      measures.take(unmeasured, samples, trained.predictUnlessInterrupted(samples));
    }
    float[] after = measures.losses();
    float[] norms = measures.norms();
    double meanBefore = weights.meanOfFinite(before);
    double meanAfter = weights.meanOfFinite(after);
    checkFinite(meanBefore, scaler, notFinite(rows, after));
    List<Contribution> contributions = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      float outsideLoss = outside == null ? Float.NaN : outside[i];
      double weight = rows.get(i).sample().weight();
      contributions.add(
          new Contribution(
              rows.get(i).sampleId(),
              before[i],
              after[i],
              (float) (norms[i] * weight),
              outsideLoss,
              (float) weight));
    }
    ModelArtifact artifact = artifact(request, network, scaler, statistics, second);
    retained = new Retained(new WeakReference<>(artifact), network, scaler, statistics, second);
    double seconds = Nanos.toSeconds(System.nanoTime() - start);
    return new TrainingResult(
        artifact,
        contributions,
        seconds,
        steps,
        meanBefore,
        meanAfter,
        engine.traffic(),
        tables,
        CoarseColumn.of(spec.schema(), scaler));
  }

  /** Returns copies of the table rows that a batch uses; null if the model has no tables. */
  private @Nullable RowBatch tables(TrainingRequest request) {
    RowBatch given = request.rows();
    if ((given == null) != spec.embeddings().tables().isEmpty()) {
      throw new IllegalArgumentException(
          "the model has %d tables, but the request has %s rows"
              .formatted(spec.embeddings().tables().size(), given == null ? "no" : "has"));
    }
    return given == null ? null : given.copy();
  }

  private static IdVectors vectors(@Nullable RowBatch tables) {
    return tables == null ? IdVectors.NONE : tables;
  }

  private ModelArtifact artifact(
      TrainingRequest request,
      TrainableNetwork network,
      FeatureScaler scaler,
      @Nullable FeatureScaler statistics,
      @Nullable HeldOutModel second)
      throws IOException {
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.NETWORK_FILE, network.encode());
    files.put(ModelArtifact.SCALER_FILE, scaler.encode());
    files.put(ModelArtifact.SPEC_FILE, specFile);
    if (statistics != null) {
      files.put(ModelArtifact.STATISTICS_FILE, statistics.encode());
    }
    if (request.mixture().length > 0) {
      files.put(ModelArtifact.MIXTURE_FILE, request.mixture());
    }
    FollowedScale.keepStart(request.base(), files);
    if (second != null) {
      files.put(ModelArtifact.HELD_OUT_FILE, second.encode());
    }
    return new ModelArtifact(files);
  }

  /**
   * Returns the loss of each row before the training: the loss in the request if it is known, else
   * a loss that is computed here. If the scale of the target has changed, all losses are computed
   * with the scaler of the losses after the training.
   */
  private float[] lossesBefore(
      TrainingRequest request, FeatureScaler base, FeatureScaler scaler, TrainableNetwork network)
      throws InterruptedException {
    boolean alike = request.base() == null || base.target().countsLike(scaler.target());
    List<TrainingRow> rows = request.batch().rows();
    List<Sample> unknown =
        rows.stream()
            .filter(row -> !alike || Float.isNaN(row.lossBefore()))
            .map(TrainingRow::sample)
            .toList();
    FeatureScaler counting = request.base() == null || !alike ? scaler : base;
    Dl4jModel model = new Dl4jModel(spec, counting, network, vectors(request.rows()));
    float[] measured = model.losses(unknown, model.predictUnlessInterrupted(unknown));
    float[] before = new float[rows.size()];
    int next = 0;
    for (int i = 0; i < before.length; i++) {
      float known = rows.get(i).lossBefore();
      before[i] = !alike || Float.isNaN(known) ? measured[next++] : known;
    }
    return before;
  }

  /**
   * Returns whether the passes of the last epoch give the rows' losses after the training. They do
   * not if the outputs of passes differ from the network's predictions. They also do not with a
   * single epoch, because then no pass follows the step of a row.
   */
  private boolean fromPasses(TrainableNetwork network) {
    return network.predictsInTraining() && spec.fit().epochs() > 1;
  }

  private int fit(
      TrainingRequest request,
      List<TrainingRow> batch,
      TrainableNetwork network,
      FeatureScaler scaler,
      @Nullable RowBatch tables,
      @Nullable RowMeasures measures)
      throws DivergedException, InterruptedException {
    RowWeights weights = RowWeights.of(batch);
    int[] order = weights.trained();
    SplittableRandom random = new SplittableRandom(request.seed());
    int count = 0;
    try (TrainingSteps steps = network.steps(request.seed())) {
      for (int epoch = 0; epoch < spec.fit().epochs(); epoch++) {
        shuffle(order, random);
        RowMeasures taking = epoch == spec.fit().epochs() - 1 ? measures : null;
        for (int from = 0; from < order.length; from += spec.fit().miniBatch()) {
          if (Thread.interrupted()) {
            throw new InterruptedException();
          }
          int to = Math.min(order.length, from + spec.fit().miniBatch());
          int[] chosen = Arrays.copyOfRange(order, from, to);
          DistinctRows distinct =
              network.rowsCombine()
                  ? DistinctRows.of(batch, chosen, weights)
                  : DistinctRows.all(chosen, weights);
          OptionalDouble loss = step(batch, chosen, distinct, steps, scaler, tables, taking);
          count++;
          if (loss.isPresent() && !Double.isFinite(loss.getAsDouble())) {
            throw new DivergedException(
                "the loss of mini-batch %d is %s".formatted(count, loss.getAsDouble()), scaler);
          }
        }
      }
    }
    return count;
  }

  private static void shuffle(int[] order, SplittableRandom random) {
    for (int i = order.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int held = order[i];
      order[i] = order[other];
      order[other] = held;
    }
  }

  /**
   * Trains one mini-batch.
   *
   * @param chosen indexes of the batch's rows to train
   * @param distinct rows that are computed
   * @param measures receives the measures of the predictions before the step; null if they are not
   *     needed
   */
  private OptionalDouble step(
      List<TrainingRow> batch,
      int[] chosen,
      DistinctRows distinct,
      TrainingSteps steps,
      FeatureScaler scaler,
      @Nullable RowBatch tables,
      @Nullable RowMeasures measures)
      throws InterruptedException {
    List<Sample> samples = samples(batch, distinct.rows());
    float[] errors = tables == null ? null : new float[samples.size() * tables.plan().width()];
    float[] outputs = measures == null ? null : new float[samples.size() * spec.networkOutputs()];
    OptionalDouble loss =
        steps.fit(
            input.features(samples, scaler, vectors(tables)),
            input.labels(samples, scaler),
            samples.size(),
            distinct.weights(),
            errors,
            outputs);
    if (tables != null && errors != null) {
      tables.update(samples.stream().map(Sample::ids).toList(), errors);
    }
    if (measures != null && outputs != null) {
      measures.take(chosen, samples(batch, chosen), distinct.ofAll(outputs));
    }
    return loss;
  }

  private static List<Sample> samples(List<TrainingRow> batch, int[] rows) {
    return Arrays.stream(rows).mapToObj(row -> batch.get(row).sample()).toList();
  }

  /**
   * @param notFinite rows that have no finite loss after the training
   */
  private static void checkFinite(double before, FeatureScaler scaler, long[] notFinite)
      throws DivergedException {
    if (notFinite.length > 0) {
      throw new DivergedException("a loss after the training is not finite", scaler, notFinite);
    }
    if (!Double.isFinite(before)) {
      throw new DivergedException("no row has a finite loss before the training", scaler);
    }
  }

  /**
   * Refuses a training after which the mean loss is far higher than the mean loss of the base
   * model, both computed with the scaler of the training. The losses in the request cannot be used,
   * because other models with other scalers measured them.
   */
  private void checkGrowth(TrainingRequest request, double after)
      throws DivergedException, TrainingFailedException, InterruptedException {
    Retained trained = retained;
    if (trained == null || !LossGrowth.isHigh(after, spec.loss(), trained.scaler())) {
      return;
    }
    // There is not always memory for two networks.
    closeRetained();
    double before =
        RowWeights.of(request.batch().rows())
            .meanOfFinite(untouchedLosses(request, trained.scaler()));
    if (LossGrowth.isDivergence(before, after)) {
      throw new DivergedException(
          "the mean loss went from %.4g to %.4g".formatted(before, after), trained.scaler());
    }
  }

  /**
   * Returns the network from which the training starts, converted to the scaler of the training.
   */
  private TrainableNetwork network(TrainingRequest request, FeatureScaler scaler)
      throws TrainingFailedException {
    ModelArtifact artifact = request.base();
    try {
      FeatureScaler before = scaler(artifact);
      return artifact == null || !followed.follows(artifact, before)
          ? network(request)
          : engine.decode(followed.fold(artifact.file(ModelArtifact.NETWORK_FILE), before, scaler));
    } catch (IOException broken) {
      throw unusable(broken);
    }
  }

  /**
   * Returns the losses of the rows with the base model, converted to the scaler of the training.
   */
  private float[] untouchedLosses(TrainingRequest request, FeatureScaler scaler)
      throws TrainingFailedException, InterruptedException {
    try (TrainableNetwork untouched = network(request, scaler)) {
      if (!untouched.finite()) {
        throw new TrainingFailedException(
            Kind.BAD_BASE_MODEL,
            "the base model of update %d has a parameter that is not finite"
                .formatted(request.batch().updateNumber()),
            null);
      }
      Dl4jModel model = new Dl4jModel(spec, scaler, untouched, vectors(request.rows()));
      List<Sample> samples = request.batch().rows().stream().map(TrainingRow::sample).toList();
      return model.losses(samples, model.predictUnlessInterrupted(samples));
    }
  }

  private void closeRetained() {
    Retained last = retained;
    retained = null;
    if (last != null) {
      last.close();
    }
  }

  @Override
  public void close() {
    try {
      closeRetained();
    } finally {
      engine.close();
    }
  }
}
