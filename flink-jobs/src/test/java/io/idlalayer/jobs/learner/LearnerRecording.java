package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.SampleDecoders;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelManifest;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.modelcontroller.evaluation.PrequentialSummary;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.RuleCosts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A learner in virtual time with fixed costs, whose decisions, stages and models are written down
 * as one digest. Two programs that decide alike give the same one.
 */
final class LearnerRecording implements LearnerOutput, AutoCloseable {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long TASK_MILLIS = 30;
  private static final long MOST_MILLIS_TO_THE_END = 3_600_000;

  private final ApplicationSettings settings;
  private final Supplier<Trainer> trainer;
  private final Function<
          io.idlalayer.modelloader.artifact.ModelArtifact, io.idlalayer.modelloader.serve.TaskModel>
      models;
  private final MapLearnerState state = new MapLearnerState();
  private final Published published = new Published();
  private final FakeAttempts attempts = new FakeAttempts(() -> false);
  private final HotCache cache = new HotCache(new CacheSettings(1 << 20, PolicyName.ADAPTIVE));
  private final SampleCodec codec = new SampleCodec();
  private final SampleDecoder decoder;
  private final MessageDigest digest;
  private final StringBuilder lines = new StringBuilder();

  private ManualExecutor executor = new ManualExecutor();
  private Learner learner;
  private long nowMillis = 1_700_000_000_000L;
  private long timerMillis = Long.MAX_VALUE;
  private long taskMillis = Long.MAX_VALUE;
  private long offset;
  private boolean finished;

  LearnerRecording(
      ApplicationSettings settings,
      Supplier<Trainer> trainer,
      Function<
              io.idlalayer.modelloader.artifact.ModelArtifact,
              io.idlalayer.modelloader.serve.TaskModel>
          models)
      throws Exception {
    this.settings = settings;
    this.trainer = trainer;
    this.models = models;
    decoder = SampleDecoders.of(settings.input());
    digest = sha256();
    open();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private void open() throws Exception {
    executor = new ManualExecutor();
    taskMillis = Long.MAX_VALUE;
    learner =
        LearnerFactory.open(
            new LearnerContext(
                new LearnerKey(settings.name(), 0),
                settings,
                state,
                new TrainerThread(executor),
                () -> new FixedCost(trainer.get()),
                published,
                new InlineScorer(models::apply),
                cache,
                attempts,
                new LearnerClock(
                    () -> Instant.ofEpochMilli(nowMillis), () -> nowMillis * NANOS_PER_MILLI),
                Duration.ZERO,
                null,
                samples -> {},
                this));
    timerMillis = Long.MAX_VALUE;
    learner.tick();
    after();
  }

  /** The next event, so many milliseconds after the one before. */
  void event(byte[] bytes, long afterMillis) throws Exception {
    pass(afterMillis);
    LearnerEvent.Position at = new LearnerEvent.Position(settings.input().topic(), 0, offset++);
    LearnerEvent event;
    try {
      Sample sample = decoder.decode(bytes);
      ContentHash hash = ContentHasher.of(sample);
      event = new LearnerEvent.SampleArrived(at, nowMillis, sample, hash, codec.encode(sample));
    } catch (MalformedSampleException malformed) {
      event = new LearnerEvent.Malformed(at, nowMillis);
    }
    learner.arrive(event);
    after();
  }

  void crash() throws Exception {
    learner.close();
    open();
  }

  /** Says that the input has ended, and lets time pass until all is learned. */
  void end() throws Exception {
    LearnerEvent.Position at = new LearnerEvent.Position("control", 0, 0);
    learner.arrive(new LearnerEvent.EndOfInput(at, "end", new TreeMap<>()));
    after();
    long startMillis = nowMillis;
    while (!finished) {
      pass(1_000);
      if (nowMillis - startMillis > MOST_MILLIS_TO_THE_END) {
        throw new AssertionError("not finished after an hour of virtual time");
      }
    }
  }

  private void pass(long millis) throws Exception {
    long until = nowMillis + millis;
    while (Math.min(timerMillis, taskMillis) <= until) {
      nowMillis = Math.max(nowMillis, Math.min(timerMillis, taskMillis));
      if (taskMillis <= nowMillis) {
        taskMillis = Long.MAX_VALUE;
        executor.runOne();
      } else {
        timerMillis = Long.MAX_VALUE;
        learner.tick();
      }
      after();
    }
    nowMillis = until;
  }

  private void after() throws Exception {
    timerMillis = Math.min(timerMillis, nowMillis + learner.sleepMillis());
    if (taskMillis == Long.MAX_VALUE && executor.busy()) {
      taskMillis = nowMillis + TASK_MILLIS;
    }
  }

  /** Of everything that was said and published. */
  String digest() {
    return HexFormat.of()
        .formatHex(sha256().digest(lines.toString().getBytes(StandardCharsets.UTF_8)));
  }

  /** What was said and published, line by line. */
  String text() {
    return lines.toString();
  }

  private void line(String format, Object... values) {
    lines.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  @Override
  public void decision(DecisionEvent event) {
    finished |= event.type() == DecisionEvent.Type.FINISHED;
    Status status = event.status();
    Status.Decision standing = status.decision();
    Grounds why = standing.grounds();
    RuleCosts costs = why.basis().costs();
    line(
        "%s at %d: %s %s updates %d version %d trained %d training %s",
        event.type(),
        event.atMillis(),
        status.samples(),
        status.stages(),
        status.updates(),
        status.modelVersion(),
        status.trainedNewSamples(),
        status.training());
    line(
        "  decision %s '%s' pending %d regret %.6g of %.6g predicted %.6g (%.6g to %.6g) in %.6g"
            + " ratio %.6g cost %.6g each %.6g fixed %.6g weight %.6g urgency %.6g denied %d"
            + " delayed %d",
        why.rule(),
        why.reason(),
        standing.pending(),
        why.charge().sampleSeconds(),
        why.charge().thresholdSampleSeconds(),
        why.predicted().mean(),
        why.predicted().low(),
        why.predicted().high(),
        standing.nextFiringInSeconds(),
        why.guarantee().certifiedRatio(),
        costs.updateCost(),
        costs.secondsPerSample(),
        costs.fixedSeconds(),
        costs.weight(),
        why.basis().urgency(),
        why.guarantee().guardDenials(),
        why.guarantee().delayedUpdates());
    PrequentialSummary quality = status.prequential();
    PrequentialSummary.Classification classes = quality.classification();
    line(
        "  scored %d unscored %d accuracy %.6g loss %.6g recent %.6g no change %.6g majority %.6g;"
            + " incorporated %d mean %.6g p99 %.6g; next %s; message '%s'",
        quality.scored(),
        quality.unscored(),
        classes == null ? 0.0 : classes.accuracy(),
        classes == null ? 0.0 : classes.logLoss(),
        classes == null ? 0.0 : classes.recentAccuracy(),
        classes == null ? 0.0 : classes.noChangeAccuracy(),
        classes == null ? 0.0 : classes.majorityAccuracy(),
        status.incorporation().count(),
        status.incorporation().meanSeconds(),
        status.incorporation().p99Seconds(),
        status.inputOffsets(),
        event.message());
    UpdateRecord update = event.update();
    if (update != null) {
      UpdateRecord.Firing firing = update.firing();
      UpdateRecord.Training training = update.training();
      UpdateRecord.Published published = update.published();
      line(
          "  update %d version %d parent %d fired %d '%s' new %d replayed %d seconds %.6g of %.6g loss %.6g"
              + " to %.6g published %d",
          update.number(),
          published == null ? 0 : published.version(),
          training == null ? 0 : training.parentVersion(),
          firing.atMillis(),
          firing.grounds().reason(),
          firing.newSamples(),
          firing.replayedSamples(),
          training == null ? 0.0 : training.seconds(),
          firing.grounds().predicted().mean(),
          training == null ? 0.0 : training.meanLossBefore(),
          training == null ? 0.0 : training.meanLossAfter(),
          published == null ? 0 : published.atMillis());
    }
    if (event.arrivals() != null) {
      line("  arrivals %s %d", event.arrivals(), event.arrivals().hashCode());
    }
    if (event.moves() != null) {
      line("  moves %s traced %d", event.moves().counts(), event.moves().traced().size());
    }
  }

  @Override
  public void notice(ModelNotice notice) {
    line("notice of version %d", notice.version());
  }

  @Override
  public void close() {
    learner.close();
  }

  /** Versions are remembered by the bits of their files. */
  private final class Published implements PublishedModels {
    private final java.util.ArrayList<ModelCheckpoint> versions = new java.util.ArrayList<>();

    @Override
    public void claim() {}

    @Override
    public ModelCheckpoint publish(ModelDraft draft) {
      digest.reset();
      draft
          .files()
          .forEach(
              (name, bytes) -> {
                digest.update(name.getBytes(StandardCharsets.UTF_8));
                digest.update(bytes);
              });
      String bits = HexFormat.of().formatHex(digest.digest());
      line(
          "model %s counts %s parent %d %s",
          bits, draft.counts(), draft.parentVersion(), draft.parentDigest());
      long version = Math.max(draft.minimumVersion(), versions.size() + 1L);
      ModelManifest manifest =
          new ModelManifest(
              ModelManifest.FORMAT_VERSION,
              draft.application(),
              draft.partition(),
              version,
              draft.parentVersion(),
              draft.parentDigest(),
              0,
              draft.inputOffsets(),
              draft.counts(),
              new TreeMap<>(draft.metrics()),
              draft.attributes(),
              List.of());
      ModelCheckpoint checkpoint =
          new ModelCheckpoint(Path.of("nowhere"), manifest, "digest-" + version);
      versions.add(checkpoint);
      return checkpoint;
    }

    @Override
    public Optional<ModelCheckpoint> current() {
      return versions.isEmpty() ? Optional.empty() : Optional.of(versions.get(versions.size() - 1));
    }

    @Override
    public ModelPublisher.CleanUp cleanUp(int keep) {
      return new ModelPublisher.CleanUp(0, List.of());
    }
  }

  /** A trainer that is told how long it took. */
  private record FixedCost(Trainer trainer) implements Trainer {
    @Override
    public TrainingResult train(TrainingRequest request)
        throws TrainingFailedException, InterruptedException {
      TrainingResult result = trainer.train(request);
      return new TrainingResult(
          result.model(),
          result.contributions(),
          0.004 + 0.00002 * request.batch().rows().size(),
          result.steps(),
          result.meanLossBefore(),
          result.meanLossAfter(),
          result.traffic());
    }

    @Override
    public void close() {
      trainer.close();
    }
  }
}
