package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A learner in virtual time with fixed costs, whose decisions, stages and models are written down
 * as one digest. Two programs that decide alike give the same one.
 */
final class LearnerRecording implements LearnerOutput, AutoCloseable {
  private static final long TASK_MILLIS = 30;
  private static final long MOST_MILLIS_TO_THE_END = 3_600_000;

  private final SampleDecoder decoder;
  private final MessageDigest digest;
  private final StringBuilder lines = new StringBuilder();
  private final VirtualTimeLearner learner;
  private boolean finished;

  LearnerRecording(
      ApplicationSettings settings, Supplier<Trainer> trainer, Scorer.ModelFactory models)
      throws Exception {
    decoder = SampleDecoders.of(settings.input());
    digest = sha256();
    learner =
        VirtualTimeLearner.of(settings, trainer, models)
            .published(new FakePublishedModels())
            .output(this)
            .trainingSeconds(0.004, 0.00002)
            .taskMillis(TASK_MILLIS)
            .open();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Sends the next event, {@code afterMillis} after the previous one. */
  void event(byte[] bytes, long afterMillis) throws Exception {
    learner.pass(afterMillis);
    try {
      Sample sample = decoder.decode(bytes);
      learner.arrive(sample, ContentHasher.of(sample));
    } catch (MalformedSampleException malformed) {
      learner.send(
          new LearnerEvent.Malformed(learner.next(), learner.nowMillis, LearnerSimulation.REFUSED));
    }
  }

  void crash() throws Exception {
    learner.restart();
  }

  /** Says that the input has ended, and lets time pass until all is learned. */
  void end() throws Exception {
    InputPosition at = new InputPosition("control", 0, 0);
    learner.send(new LearnerEvent.EndOfInput(at, "end", new TreeMap<>()));
    long startMillis = learner.nowMillis;
    while (!finished) {
      learner.pass(1_000);
      if (learner.nowMillis - startMillis > MOST_MILLIS_TO_THE_END) {
        throw new AssertionError("not finished after an hour of virtual time");
      }
    }
  }

  /** Returns the digest of all output and all published models. */
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
          "  update %d version %d parent %d fired %d '%s' new %d replayed %d seconds %.6g of %.6g"
              + " loss %.6g to %.6g published %d",
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
  public void refused(DeadLetter letter) {
    line("refused: %s", letter.reason());
  }

  @Override
  public void notice(ModelNotice notice) {
    line("notice of version %d", notice.version());
  }

  @Override
  public void close() {
    learner.close();
  }

  /** Versions are written down by the bits of their files. */
  private final class FakePublishedModels extends UnstoredModels {
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
      return super.publish(draft);
    }

    @Override
    public void rollBack(long version, String digest, long left, String reason) {
      line("version %d serves again", version);
    }
  }
}
