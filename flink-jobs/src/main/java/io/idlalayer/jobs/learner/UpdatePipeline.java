package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.api.TrainingSession;
import io.idlalayer.datacontroller.evaluation.StageReport;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.middleware.embedding.EmbeddingPlan;
import io.idlalayer.middleware.embedding.RowBatch;
import io.idlalayer.middleware.embedding.RowFile;
import io.idlalayer.middleware.embedding.RowTables;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.store.AlreadyPinnedException;
import io.idlalayer.middleware.models.store.CorruptModelException;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelManifest;
import io.idlalayer.middleware.models.store.Pin;
import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelcontroller.update.UpdateDecision;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of an update, top to bottom: a decision is carried out, samples are chosen and handed to
 * the trainer thread; when the training has ended its result is accepted, or dropped; an accepted
 * model is scored with and published, and its consumers are told. Where an update stands is in
 * {@link UpdateCycle}, where its publication stands in {@link Publication}; each step is one of
 * their transitions and saves the state of that. All methods are called by the operator's thread.
 */
final class UpdatePipeline {
  private static final Logger LOG = LoggerFactory.getLogger(UpdatePipeline.class);
  private static final byte[] NO_BYTES = {};

  /** Of rows that changed since the last published version, which are kept in state. */
  private static final int MOST_CHANGES_BYTES = 256 << 20;

  /** Share of the heap that the rows of one update may take. */
  private static final int HEAP_SHARE = 8;

  private static final long MOST_ROW_BYTES =
      Math.min(1L << 30, Runtime.getRuntime().maxMemory() / HEAP_SHARE);

  private final LearnerContext context;
  private final LearnerCheckpoint checkpoint;
  private final EventCounters counters;
  private final DataController data;
  private final UpdateController controller;
  private final DriftUrgency drift;
  private final IncorporationLatency incorporation;
  private final TrainingAttempts attempts;
  private final UpdateCycle cycle;
  private final Publication publication;
  private final ReleaseGate gate;
  private final ServiceWatch service;
  private final TrustedWatch trusted;
  private final FirstTrainings trained = new FirstTrainings();
  private final SamplePrefetcher prefetcher;
  private final Scoring scoring;
  private final StatusReporter reporter;
  private final SampleCodec codec = new SampleCodec();
  private final @Nullable RowTables tables;

  /** What people have put in service and nobody has heeded yet. */
  private PublishedModels.@Nullable ServedFiles putInService;

  /** A rollback whose pin is being set. */
  private @Nullable RollBack rollingBack;

  /** The marks of the samples that train, while an update does. */
  private @Nullable TrainingSession session;

  UpdatePipeline(
      LearnerContext context,
      LearnerComponents components,
      LearnerCheckpoint checkpoint,
      SamplePrefetcher prefetcher,
      Scoring scoring,
      StatusReporter reporter) {
    this.context = context;
    this.checkpoint = checkpoint;
    this.prefetcher = prefetcher;
    this.scoring = scoring;
    this.reporter = reporter;
    counters = components.counters();
    data = components.data();
    controller = components.update();
    drift = components.drift();
    incorporation = components.incorporation();
    attempts = components.attempts();
    cycle = components.cycle();
    publication = components.publication();
    gate = components.gate();
    service = components.service();
    trusted = components.trusted();
    tables = components.rows();
  }

  /** Takes the publisher's place, and begins again what a restart has cut off. */
  void start(LearnerTime now) {
    publication.claim();
    publication.restoreLost();
    rememberRows(publication.model());
    if (gate.compares()) {
      findInService(publication.model(), now);
    }
    AcceptedModel model = publication.model();
    boolean held = publication.interrupted() && gate.accepted(now.millis());
    if (model != null) {
      score(model.artifact());
      if (publication.interrupted()) {
        sayIfTrustedUnreadable(model, now);
      }
    }
    // Before the training: that one must know which version it continues.
    publication.resume(nextVersion(), held);
    FiredUpdate interrupted = cycle.fired();
    if (interrupted != null) {
      train(interrupted, UpdateCycle.Transition.RESUME, now);
    }
    tellWaiting(now);
  }

  /** The rows are those of the restored model; what they were is of no use without the gate. */
  private void rememberRows(@Nullable AcceptedModel model) {
    RowTables all = tables;
    if (all == null) {
      return;
    }
    if (!gate.compares()) {
      all.rememberNothing();
    } else if (model != null) {
      all.remember(model.update().number());
      if (model.published()) {
        all.published(model.update().number(), model.lineage().digest());
      }
    }
  }

  /** Forgets what rows were after updates whose models nobody needs. */
  private void forgetRows() {
    RowTables all = tables;
    if (all != null && gate.compares()) {
      all.rememberOnly(gate.neededUpdates());
    }
  }

  /** Whether the rows of the model of an update are known, or it has none. */
  private boolean rowsAreKnown(long update) {
    RowTables all = tables;
    return all == null || all.remembers(update);
  }

  /** Tells the gate which version serves. */
  private void findInService(@Nullable AcceptedModel model, LearnerTime now) {
    try {
      PublishedModels.ServedFiles found = context.models().inService().orElse(null);
      if (found != null) {
        ServedVersion served = servedVersion(found, model);
        String digest = served.digest();
        boolean own =
            model != null && (model.lineage().digest().equals(digest) || model.lineage().parentDigest().equals(digest));
        long known = model == null ? 0 : model.publishedVersion();
        boolean comparable = comparable(served);
        boolean putBack = found.inPlaceOf(known);
        // The state is newer than a version that was put back, which so has not trained on what
        // comes now.
        gate.restored(served, (own || putBack) && comparable);
        // Not if people have let a newer version serve than the one that the model gave way to.
        if (model != null && model.withheld() && served.version() <= known) {
          gate.gaveUpNewest();
        }
        long left = putBack ? 0 : leftBefore(found.pin(), model);
        if (left > 0) {
          leaveAgain(served, left, comparable, now);
        }
        if (!putBack) {
          return;
        }
        gate.gaveUpNewest();
        if (gate.continuesInService() && comparable) {
          continueInService(served, known, now);
        } else if (gate.continuesInService()) {
          warnOfLostRows(served, known);
        }
      }
    } catch (IOException unreadable) {
      LOG.warn(
          "{}: the version in service cannot be read, so the next model is not compared with it",
          context.key(),
          unreadable);
    }
  }

  /**
   * The version that was published of a model which the state has as still to be published, and
   * left since for an older one; 0 if there is none.
   */
  private long leftBefore(@Nullable Pin pin, @Nullable AcceptedModel model) {
    if (pin == null || model == null || !publication.interrupted()) {
      return 0;
    }
    long oldest = Math.max(model.publishedVersion(), pin.version());
    for (long version = pin.until(); version > oldest; version--) {
      try {
        ModelManifest manifest = context.models().manifest(version).orElse(null);
        if (manifest != null && model.madeAs(manifest)) {
          return version;
        }
      } catch (IOException gone) {
        LOG.debug("{}: version {} cannot be read", context.key(), version, gone);
      }
    }
    return 0;
  }

  /** The process died after a model was published and left, and before its state said so. */
  private void leaveAgain(ServedVersion served, long left, boolean comparable, LearnerTime now) {
    gate.gaveUpNewest();
    boolean replaced = gate.continuesInService() && comparable;
    counters.rolledBack();
    if (replaced) {
      putRowsBack(served);
    } else if (gate.continuesInService()) {
      warnOfLostRows(served, left);
    }
    publication.rollBack(replaced ? served : null);
    checkpoint.save(Publication.Transition.ROLL_BACK);
    say(
        DecisionEvent.Type.ROLLED_BACK,
        null,
        "version %d serves in place of version %d, whose model is not published again; the next"
                .formatted(served.version(), left)
            + " update continues version %d".formatted(replaced ? served.version() : left),
        now);
  }

  private static ServedVersion servedVersion(
      PublishedModels.ServedFiles found, @Nullable AcceptedModel model) {
    String digest = found.checkpoint().digest();
    ModelArtifact artifact =
        model != null && model.lineage().digest().equals(digest)
            ? model.artifact()
            : OnnxModel.withoutExport(new ModelArtifact(found.files()));
    ModelManifest manifest = found.checkpoint().manifest();
    long update = manifest.counts().getOrDefault("updateNumber", 0L);
    return new ServedVersion(manifest.version(), digest, update, artifact);
  }

  /** Whether the rows that a version was published with are known, or it has none. */
  private boolean comparable(ServedVersion version) {
    // Another lineage has updates with the same numbers.
    return tables == null || tables.remembers(version.update(), version.digest());
  }

  private void warnOfLostRows(ServedVersion served, long known) {
    LOG.warn(
        "{}: version {} serves in place of version {}, but the rows that it was published with are"
            + " not known any more, so the next update continues version {}",
        context.key(),
        served.version(),
        known,
        known);
  }

  /**
   * The process died after an older version was put in service, or people did that while it was
   * stopped: the state has the version that was given up, or a model that was made from it and is
   * still to be published.
   */
  private void continueInService(ServedVersion served, long givenUp, LearnerTime now) {
    String unpublished =
        publication.interrupted()
            ? ", and the model that was made from version %d is not published".formatted(givenUp)
            : "";
    counters.rolledBack();
    putRowsBack(served);
    publication.rollBack(served);
    checkpoint.save(Publication.Transition.ROLL_BACK);
    say(
        DecisionEvent.Type.ROLLED_BACK,
        null,
        "version %d serves in place of version %d; the next update continues it%s"
            .formatted(served.version(), givenUp, unpublished),
        now);
  }

  /** Scores what comes by a model, and what waits too if the model is compared with another. */
  private void score(ModelArtifact artifact) {
    scoring.serve(artifact);
    if (gate.opened()) {
      scoring.compare(() -> data.waiting().loadNewest(Scoring.MICRO_BATCH, codec::decode));
    }
  }

  /** Whether an update is fired, so that none may be fired. */
  boolean training() {
    return cycle.busy();
  }

  /** Whether an update is fired with new samples that had arrived by a time. */
  boolean trainsArrivedBy(long millis) {
    FiredUpdate fired = cycle.fired();
    return fired != null && Arrays.stream(fired.arrivedAtMillis()).anyMatch(at -> at <= millis);
  }

  /** Whether everything that was accepted is published, and nothing is rolled back. */
  boolean published() {
    return publication.idle() && rollingBack == null;
  }

  /** What serves after everything was published that is to be, for people. */
  String served() {
    return gate.newestServes()
        ? "everything is trained and published"
        : "everything is trained; version %d serves, since the newest model is worse"
            .formatted(gate.inServiceVersion());
  }

  /** When {@link #poll} is to look at the publication again; Long.MAX_VALUE for never. */
  long nextPublicationLookMillis(LearnerTime now, long pollMillis) {
    if (rollingBack != null) {
      return now.millis() + pollMillis;
    }
    return publication.nextLookMillis(now.millis(), pollMillis);
  }

  // ---- decided --------------------------------------------------------------------------------

  /** Carries out what the update controller has decided. */
  void carryOut(UpdateDecision decision, LearnerTime now) {
    UpdateDecision next = decision;
    if (decision instanceof UpdateDecision.Restart restart) {
      if (!abort(restart, now)) {
        return;
      }
      next = controller.evaluate(now.nanos());
    }
    if (next instanceof UpdateDecision.Train train && !cycle.busy() && data.waiting().size() > 0) {
      fire(train, now);
    }
  }

  /** A change of the prequential loss has changed how urgent updates are. */
  void urgencyChanged(LearnerTime now) {
    carryOut(controller.urgency(drift.urgency(), now.nanos()), now);
  }

  /** Gives the training up for a larger one; false if it has ended already, or there is none. */
  private boolean abort(UpdateDecision.Restart restart, LearnerTime now) {
    Future<TrainingResult> training = cycle.training();
    if (training == null || training.isDone()) {
      return false;
    }
    abort(restart.explanation().reason(), now);
    return true;
  }

  /** Gives the training up, whether it has ended or not; its samples wait again. */
  private void abort(String reason, LearnerTime now) {
    FiredUpdate given = cycle.fired();
    Future<TrainingResult> training = cycle.training();
    if (given == null || training == null) {
      return;
    }
    training.cancel(true);
    cycle.end(UpdateCycle.Transition.ABORT);
    counters.unlabeled(given.selection().newIds().length - session().abandon());
    controller.trainingAborted(now.nanos());
    tellWaiting(now);
    checkpoint.save(UpdateCycle.Transition.ABORT);
    say(DecisionEvent.Type.ABORTED, given.toRecord(), reason, now);
  }

  // ---- fired ----------------------------------------------------------------------------------

  private void fire(UpdateDecision.Train decision, LearnerTime now) {
    Bisection step = attempts.bisection();
    int most = Math.min(data.waiting().size(), decision.samples());
    if (step.searching()) {
      most = step.batch(data.waiting().oldestContents(most));
    }
    if (tables != null) {
      most = Math.max(1, Math.min(most, samplesWithRows(tables.plan())));
    }
    long number = counters.updates() + 1;
    Selection selection = step.replays() ? data.select(number, most) : data.selectNew(number, most);
    long[] arrivedAtMillis =
        Arrays.stream(selection.newIds()).map(data.samples()::arrivedAtMillis).toArray();
    UpdateRecord.Firing firing =
        new UpdateRecord.Firing(
            context.clock().wallMillis(),
            selection.newIds().length,
            selection.replayedIds().length,
            Grounds.of(decision.explanation()));
    FiredUpdate fired = new FiredUpdate(selection, arrivedAtMillis, firing);
    train(fired, UpdateCycle.Transition.FIRE, now);
    prefetcher.trainingStarted(data, number + 1);
    long shift = context.clock().toWallMillis();
    long[] wallMillis = Arrays.stream(arrivedAtMillis).map(each -> each + shift).toArray();
    reporter.fired(fired.toRecord(), ArrivalTimes.of(wallMillis), now);
  }

  /** New samples whose rows surely find room in the heap. */
  private int samplesWithRows(EmbeddingPlan plan) {
    List<IdFeature> features = context.settings().input().schema().ids();
    long bytesOfSample = 0;
    for (int f = 0; f < features.size(); f++) {
      int table = plan.features().get(f).table();
      bytesOfSample +=
          features.get(f).mostIds() * RowBatch.bytesOfRow(plan.tables().get(table).layout());
    }
    return (int) Math.min(Integer.MAX_VALUE, MOST_ROW_BYTES / bytesOfSample);
  }

  private void train(FiredUpdate fired, UpdateCycle.Transition how, LearnerTime now) {
    Selection selection = fired.selection();
    TrainingSession begun = data.begin(selection);
    TrainingBatch batch = prefetcher.load(() -> begun.load(codec::decode));
    controller.trainingStarted(selection.newIds().length, extra(selection), now.nanos());
    Future<TrainingResult> training = submit(selection, batch);
    session = begun;
    cycle.train(how, fired, training);
    checkpoint.save(how);
  }

  /**
   * Hands a batch to the trainer thread, with copies of the rows that it uses. If there is no room
   * for these, it is a training that has failed: smaller ones are tried.
   */
  private Future<TrainingResult> submit(Selection selection, TrainingBatch batch) {
    RowBatch rows = null;
    RowTables all = tables;
    if (all != null) {
      // Where the process ends when it runs out of memory, the next one knows of what.
      long number = attempts.begins(batch);
      try {
        rows = rows(all, batch);
      } catch (OutOfMemoryError full) {
        return CompletableFuture.failedFuture(
            new TrainingFailedException(
                TrainingFailedException.Kind.BACKEND,
                "there is not enough memory for the rows of its %d samples (%s)"
                    .formatted(batch.rows().size(), full.getMessage()),
                full));
      } finally {
        attempts.ended(number);
      }
    }
    AcceptedModel model = publication.model();
    ModelArtifact base = model == null ? null : model.artifact();
    return context
        .trainerThread()
        .train(
            context.key().text(),
            () -> new RecordedTrainer(context.newTrainer().get(), attempts),
            new TrainingRequest(base, batch, seed(selection.updateNumber()), rows));
  }

  /** Copies of the rows that a batch uses. */
  private static RowBatch rows(RowTables all, TrainingBatch batch) {
    List<IdLists> fresh = new ArrayList<>();
    List<IdLists> replayed = new ArrayList<>();
    for (TrainingRow row : batch.rows()) {
      (row.fresh() ? fresh : replayed).add(row.sample().ids());
    }
    return all.gatherToTrain(fresh, replayed);
  }

  private TrainingSession session() {
    return Objects.requireNonNull(session, "no update trains");
  }

  /** How many rows train beside the new samples; below 0 if more of those are passed over. */
  private static int extra(Selection selection) {
    return selection.replayedIds().length - selection.passedIds().length;
  }

  /** A seed of its own for every update, the same after a restore. */
  private long seed(long updateNumber) {
    return context.settings().seed() * BitMixer.GOLDEN_RATIO
        + updateNumber * 0xBF58476D1CE4E5B9L
        + context.key().partition();
  }

  /** The label of a sample was taken back, which may train right now. */
  void labelWithdrawn(long sampleId) {
    FiredUpdate fired = cycle.fired();
    if (fired != null && fired.holds(sampleId)) {
      cycle.withdrawLabel(fired.withdrawing(sampleId));
      checkpoint.save(UpdateCycle.Transition.WITHDRAW_LABEL);
    }
  }

  // ---- trained --------------------------------------------------------------------------------

  /** Looks at the other threads: what was published, what was trained. */
  void poll(LearnerTime now) throws InterruptedException {
    Publication.Outcome outcome =
        publication.poll(now.millis(), nextVersion(), gate.neededVersions());
    if (outcome != null) {
      publicationEnded(outcome, now);
    }
    if (trusted.poll(now)) {
      scoring.trust(trusted.samples());
      gate.trust(trusted.samples().size());
    }
    heedGate(now);
    heedPeople(now);
    FiredUpdate fired = cycle.fired();
    Future<TrainingResult> training = cycle.ended();
    // While a publication or a rollback is under way, it is not known which version a new model
    // continues, or is compared with. A model that is held and looks worse gives way to it.
    boolean givesWay = publication.held() && gate.doubtful();
    boolean known = rollingBack == null && !publication.undecided();
    if (fired != null && training != null && (givesWay || known)) {
      trainingEnded(fired, training, now);
    }
    String problem = attempts.takeProblem();
    if (!problem.isEmpty()) {
      say(DecisionEvent.Type.DROPPED, null, problem, now);
    }
  }

  /**
   * Waits a while for the training to end, well or not; {@link #poll} tells how. Called when the
   * store is full, so that the source is slowed down.
   */
  void await(Duration most) throws InterruptedException {
    Future<TrainingResult> training = cycle.training();
    if (training == null) {
      return;
    }
    try {
      training.get(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | CancellationException | TimeoutException later) {
      return;
    }
  }

  private void trainingEnded(FiredUpdate fired, Future<TrainingResult> training, LearnerTime now)
      throws InterruptedException {
    TrainingResult result;
    try {
      result = training.get();
    } catch (ExecutionException failed) {
      String why = blame(failed.getCause());
      if (why == null) {
        throw fatal(fired, failed);
      }
      drop(fired, why, now);
      return;
    } catch (CancellationException givenUp) {
      drop(fired, "the training was cancelled", now);
      return;
    }
    String sick = notFinite(result.contributions());
    if (sick == null) {
      accept(fired, result, now);
    } else {
      drop(fired, sick, now);
    }
  }

  /** Why a training failed that another batch might survive; null if none would. */
  private static @Nullable String blame(@Nullable Throwable cause) {
    if (cause instanceof TrainingFailedException failed) {
      return failed.ofThisBatch() ? failed.getMessage() : null;
    }
    boolean maybe =
        cause instanceof RuntimeException
            || cause instanceof OutOfMemoryError
            || cause instanceof TimeoutException;
    return maybe ? "the trainer failed: " + cause : null;
  }

  private static @Nullable String notFinite(List<Contribution> contributions) {
    for (Contribution each : contributions) {
      if (!Float.isFinite(each.lossBefore()) || !Float.isFinite(each.lossAfter())) {
        return "sample %d has loss %s before and %s after its training"
            .formatted(each.sampleId(), each.lossBefore(), each.lossAfter());
      }
    }
    return null;
  }

  /** What to throw when a training failed in a way that no other batch would mend. */
  private RuntimeException fatal(FiredUpdate fired, ExecutionException failed) {
    String what =
        "training update %d of %s failed"
            .formatted(fired.selection().updateNumber(), context.key().text());
    Throwable cause = failed.getCause();
    if (cause instanceof TrainingFailedException lasting) {
      return new LastingFailureException(what + ": " + lasting.getMessage(), lasting);
    }
    return new IllegalStateException(what, cause);
  }

  // ---- accepted -------------------------------------------------------------------------------

  private void accept(FiredUpdate fired, TrainingResult result, LearnerTime now) {
    Selection selection = fired.selection();
    int fresh = selection.newIds().length;
    StageReport report = session().accept(result.contributions(), result.trainSeconds());
    prefetcher.trained(fresh + extra(selection), result.trainSeconds());
    counters.accepted(selection);
    // These are scored by the rows as they were.
    scoring.flush();
    AcceptedModel model = accepted(fired, result, commit(fired, result));
    attempts.bisection(attempts.bisection().succeeded(data.samples().contents(selection.newIds())));
    tellLimit();
    UpdateDecision next =
        controller.trainingEnded(now.nanos(), fresh, extra(selection), result.trainSeconds());
    boolean urgencyChanged = drift.updated();
    if (publication.held()) {
      counters.heldModel();
      sayCompared(DecisionEvent.Type.HELD, "a newer one takes its place", now);
    }
    boolean held = gate.accepted(now.millis());
    forgetRows();
    if (gate.continuesInService()) {
      trained.add(selection.updateNumber(), selection.newIds());
    }
    sayIfTrustedUnreadable(model, now);
    publication.accept(model, fired.arrivedAtMillis(), nextVersion(), held);
    cycle.end(UpdateCycle.Transition.ACCEPT);
    checkpoint.save(UpdateCycle.Transition.ACCEPT);
    reporter.staged(model.update(), report, now);
    score(model.artifact());
    if (urgencyChanged) {
      urgencyChanged(now);
    } else {
      carryOut(next, now);
    }
  }

  /**
   * Takes the trained rows over.
   *
   * @return what has changed since the last published version, to be published
   */
  private byte[] commit(FiredUpdate fired, TrainingResult result) {
    RowBatch trained = result.rows();
    RowTables all = tables;
    if (all == null) {
      return NO_BYTES;
    }
    if (trained == null) {
      throw new IllegalStateException("a training of a model with tables has returned no rows");
    }
    all.commit(trained, TimeUnit.MILLISECONDS.toSeconds(context.clock().wallMillis()));
    byte[] changes = RowFile.delta(trained, all.takeRemoved());
    if (gate.compares()) {
      all.remember(fired.selection().updateNumber());
    }
    AcceptedModel before = publication.model();
    if (before == null || before.published()) {
      return bounded(changes);
    }
    boolean known = before.rowChanges().length > 0;
    return known ? bounded(RowFile.merged(before.rowChanges(), changes)) : NO_BYTES;
  }

  /** Changes that are too many count as not known: the next version has all rows then. */
  private static byte[] bounded(byte[] changes) {
    return changes.length > MOST_CHANGES_BYTES ? NO_BYTES : changes;
  }

  private AcceptedModel accepted(FiredUpdate fired, TrainingResult result, byte[] rowChanges) {
    AcceptedModel parent = publication.model();
    long parentVersion = parent == null ? 0 : parent.publishedVersion();
    UpdateRecord.Training training =
        UpdateRecords.training(
            result, parentVersion, context.settings().memory().tensors().policy());
    Lineage lineage =
        new Lineage(
            parent == null ? "" : parent.lineage().publishedDigest(),
            "",
            counters.inputOffsets(),
            counters.trainedNewSamples());
    return new AcceptedModel(
        fired.toRecord().trained(training), result.model(), lineage, rowChanges, false);
  }

  // ---- compared -------------------------------------------------------------------------------

  /** A model that is about to be published may have nothing to be compared on. */
  private void sayIfTrustedUnreadable(AcceptedModel model, LearnerTime now) {
    if (gate.compares() && !trusted.problem().isEmpty()) {
      say(
          DecisionEvent.Type.UNCOMPARED,
          model.update(),
          "the new model is published and not compared, since trusted samples cannot be read: "
              + trusted.problem(),
          now);
    }
  }

  /** Does what the release gate says. */
  private void heedGate(LearnerTime now) {
    RollBack under = rollingBack;
    if (under != null) {
      rollBackEnded(under, now);
      return;
    }
    AcceptedModel model = publication.model();
    boolean published = model != null && publication.idle() && model.published();
    if (gate.endUnless(this::rowsAreKnown)) {
      say(
          DecisionEvent.Type.UNCOMPARED,
          model == null ? null : model.update(),
          "so many rows have changed that the newest model cannot be compared with an older one",
          now);
    }
    switch (gate.look(now.millis(), published)) {
      case NOTHING -> {}
      case RELEASE -> publication.release(gate.finding(), nextVersion());
      case RELEASE_UNCOMPARED -> {
        say(
            DecisionEvent.Type.UNCOMPARED,
            model == null ? null : model.update(),
            "the new model could not be compared on all trusted samples, since scoring them failed"
                + " or stopped; it is published",
            now);
        publication.release(gate.finding(), nextVersion());
      }
      case REFUSE -> refuse(now);
      case WARN -> sayCompared(DecisionEvent.Type.WORSE, "it serves on", now);
      case ROLL_BACK -> rollBack(now);
    }
  }

  private void refuse(LearnerTime now) {
    ServedVersion back = toContinue(gate.requireInService());
    String next =
        back == null
            ? "the next update continues it"
            : "the next update continues version " + back.version();
    counters.heldModel();
    sayCompared(DecisionEvent.Type.HELD, "it is not published; " + next, now);
    if (back != null) {
      forgetAfter(back, now);
    }
    publication.refuse(back);
    gate.refused();
    checkpoint.save(Publication.Transition.REFUSE);
    scoreNewest();
  }

  /** The version that serves, if the next update is to continue it and can; else null. */
  private @Nullable ServedVersion toContinue(ServedVersion serves) {
    return gate.continuesInService() && rowsAreKnown(serves.update()) ? serves : null;
  }

  /** What made later models worse is not trained again, and nothing is made from those models. */
  private void forgetAfter(ServedVersion version, LearnerTime now) {
    abort("the model that it continues is given up", now);
    data.giveUp(trained.takeAfter(version.update()));
    putRowsBack(version);
  }

  /** The rows of a version that the next update continues are again what they were. */
  private void putRowsBack(ServedVersion version) {
    RowTables all = tables;
    if (all != null) {
      // What is collected is scored by the rows as they were.
      scoring.flush();
      all.goBack(version.update());
    }
  }

  /**
   * A pin that is being set, by a thread of its own.
   *
   * @param from the version that is worse
   * @param to the one that is to serve again
   * @param found what was found, for people
   * @param foundAtMillis when that was first found, however often it was tried since
   */
  private record RollBack(
      ServedVersion from,
      ServedVersion to,
      String found,
      long foundAtMillis,
      CompletableFuture<Void> pin) {}

  /**
   * Puts the baseline in service. That reads all of its files, which takes long where the medium is
   * slow, so events go on meanwhile; and it does not wait for the trainer thread, which may train
   * or publish for minutes.
   */
  private void rollBack(LearnerTime now) {
    ServedVersion from = gate.requireInService();
    ServedVersion to = gate.requireBaseline();
    String found = "version %d is %s".formatted(from.version(), gate.describe());
    CompletableFuture<Void> pin;
    try {
      pin = pinning(from, to, found);
    } catch (RejectedExecutionException closing) {
      LOG.debug("{} does not roll back any more", context.key(), closing);
      return;
    }
    RollBack begun = new RollBack(from, to, found, gate.foundWorseMillis(), pin);
    rollingBack = begun;
    rollBackEnded(begun, now);
  }

  /** Sets a pin, unless people have left the version already and that was not heeded yet. */
  private CompletableFuture<Void> pinning(ServedVersion from, ServedVersion to, String found) {
    PublishedModels.ServedFiles waiting = putInService;
    Pin chosen = waiting == null ? null : waiting.pin();
    return chosen != null && chosen.forbids(to.version(), from.version())
        ? CompletableFuture.failedFuture(new AlreadyPinnedException(chosen))
        : CompletableFuture.runAsync(() -> pin(to, from.version(), found), context.rollBacks());
  }

  /** On a thread of its own. */
  private void pin(ServedVersion to, long left, String found) {
    try {
      context.models().rollBack(to.version(), to.digest(), left, found);
    } catch (IOException failed) {
      throw new CompletionException(failed);
    }
  }

  /**
   * Follows what has become of a pin, if that is known. If the process dies before, the next start
   * finds the pin.
   */
  private void rollBackEnded(RollBack rollBack, LearnerTime now) {
    if (!rollBack.pin().isDone()) {
      return;
    }
    rollingBack = null;
    try {
      rollBack.pin().join();
    } catch (CompletionException failed) {
      if (!(failed.getCause() instanceof IOException cause)) {
        throw failed;
      }
      rollBackFailed(rollBack, cause, now);
      return;
    }
    service.outdated();
    boolean newerServes = gate.inServiceVersion() != rollBack.from().version();
    if (!newerServes) {
      counters.rolledBack();
    }
    if (newerServes || !publication.idle()) {
      goOnWithNewer(rollBack);
    } else {
      settle(rollBack, now);
    }
    String consequence = "version %d has taken its place".formatted(gate.inServiceVersion());
    if (!newerServes) {
      tellServed(rollBack.to());
      consequence =
          "version %d serves again, %d ms after that was found"
              .formatted(rollBack.to().version(), now.millis() - rollBack.foundAtMillis());
    }
    say(DecisionEvent.Type.ROLLED_BACK, null, rollBack.found() + "; " + consequence, now);
  }

  private void rollBackFailed(RollBack rollBack, IOException failed, LearnerTime now) {
    // A version that is damaged or gone does not come back, and a pin that people have set stays;
    // anything else is tried again.
    boolean forGood =
        failed instanceof CorruptModelException || failed instanceof AlreadyPinnedException;
    if (gate.rollBackFailed(forGood, now.millis())) {
      String problem = "%s; version %d cannot be put in service again: %s";
      // The message of another failure may be no more than the name of a file.
      String why = forGood ? failed.getMessage() : failed.toString();
      say(
          DecisionEvent.Type.WORSE,
          null,
          problem.formatted(rollBack.found(), rollBack.to().version(), why),
          now);
    }
    boolean newerServes = gate.inServiceVersion() != rollBack.from().version();
    boolean left = failed instanceof AlreadyPinnedException pinned && !pinned.forGood();
    if (left && (newerServes || !publication.idle())) {
      gate.leftByPeople(rollBack.from());
      scoreAnew();
    }
  }

  /** The newest model was rolled back, so nothing is on its way to those who serve. */
  private void settle(RollBack rollBack, LearnerTime now) {
    ServedVersion continued = toContinue(rollBack.to());
    if (continued != null) {
      forgetAfter(continued, now);
    }
    publication.rollBack(continued);
    gate.rolledBack(rollBack.from(), false);
    forgetRows();
    checkpoint.save(Publication.Transition.ROLL_BACK);
    scoreNewest();
  }

  /** A newer model than the one that was rolled back is on its way, or has taken its place. */
  private void goOnWithNewer(RollBack rollBack) {
    gate.rolledBack(rollBack.from(), true);
    checkpoint.save(StateChange.Other.COUNTED);
    scoreAnew();
  }

  /** The newest model scores from now on what is compared, unless it is given up. */
  private void scoreAnew() {
    AcceptedModel newest = publication.model();
    if (newest != null && !gate.continuesInService()) {
      score(newest.artifact());
    }
  }

  private void tellServed(ServedVersion version) {
    context
        .output()
        .notice(
            new ModelNotice(
                context.key().application(),
                context.key().partition(),
                version.version(),
                version.digest(),
                context.clock().wallMillis()));
  }

  /** Does what follows from a pin that people have set or removed. */
  private void heedPeople(LearnerTime now) {
    if (rollingBack != null) {
      // Its own pin is not one of people.
      return;
    }
    ServiceWatch.Found found = service.poll(now);
    if (found != null) {
      reporter.changed();
      putInService = found.serves();
    }
    PublishedModels.ServedFiles serves = putInService;
    // A model that is being published may end the pin, and one that is held may.
    if (serves == null || !publication.idle()) {
      return;
    }
    putInService = null;
    AcceptedModel model = publication.model();
    long newest = counters.modelVersion();
    if (model == null || serves.checkpoint().digest().equals(gate.inServiceDigest())) {
      return;
    }
    Pin pin = serves.pin();
    if (pin == null && serves.checkpoint().manifest().version() == newest) {
      gate.unpinned(servedVersion(serves, model));
    } else if (pin != null && pin.until() > 0 && pin.holds(newest)) {
      rolledBackByPeople(serves, pin, model, now);
    }
  }

  private void rolledBackByPeople(
      PublishedModels.ServedFiles serves, Pin pin, AcceptedModel model, LearnerTime now) {
    ServedVersion to = servedVersion(serves, model);
    long before = gate.inServiceVersion();
    long known = model.publishedVersion();
    boolean comparable = comparable(to);
    boolean replaced = gate.continuesInService() && !to.digest().equals(model.lineage().publishedDigest());
    if (replaced && !comparable) {
      warnOfLostRows(to, known);
    }
    ServedVersion continued = replaced && comparable ? to : null;
    long next = continued == null ? known : to.version();
    counters.rolledBack();
    if (continued != null) {
      forgetAfter(continued, now);
    }
    publication.rollBack(continued);
    gate.rolledBackByPeople(to, comparable);
    forgetRows();
    checkpoint.save(Publication.Transition.ROLL_BACK);
    scoreNewest();
    say(
        DecisionEvent.Type.ROLLED_BACK,
        null,
        "version %d serves in place of version %d (%s, says %s); the next update continues version"
                .formatted(to.version(), before, pin.reason(), pin.by())
            + " %d".formatted(next),
        now);
  }

  /** Scores what comes by the model that the next update continues, without a rival. */
  private void scoreNewest() {
    AcceptedModel newest = publication.model();
    if (newest != null) {
      scoring.serve(newest.artifact());
    }
  }

  private void sayCompared(DecisionEvent.Type type, String consequence, LearnerTime now) {
    AcceptedModel model = publication.model();
    UpdateRecord about = model == null ? null : model.update();
    say(type, about, "the new model is %s; %s".formatted(gate.describe(), consequence), now);
  }

  // ---- dropped --------------------------------------------------------------------------------

  private void drop(FiredUpdate fired, String why, LearnerTime now) {
    Selection selection = fired.selection();
    int fresh = selection.newIds().length;
    Bisection.Step step =
        attempts
            .bisection()
            .failed(data.samples().contents(selection.newIds()), Bisection.Failure.FAILED);
    boolean other = step.next().searching() && step.next().attempts() == 0;
    int back = step.givenUp() ? session().quarantine() : session().abandon();
    counters.unlabeled(fresh - back);
    String fate =
        "its %d new samples wait for the next attempt, of at most %d at once"
            .formatted(back, Math.min(step.next().limit(), fresh));
    if (step.givenUp()) {
      counters.quarantined(back);
      fate =
          "its new sample is quarantined after %d failures alone"
              .formatted(Bisection.FAILURES_OF_ONE);
    }
    attempts.bisection(step.next());
    controller.trainingDropped(now.nanos(), step.givenUp() ? 0 : back, other);
    tellWaiting(now);
    cycle.end(UpdateCycle.Transition.DROP);
    checkpoint.save(UpdateCycle.Transition.DROP);
    UpdateDecision next = controller.evaluate(now.nanos());
    say(DecisionEvent.Type.DROPPED, fired.toRecord(), why + "; " + fate, now);
    carryOut(next, now);
  }

  /** Gives up waiting samples whose contents killed the process alone. */
  void quarantineKillers(LearnerTime now) {
    int given = attempts.quarantineIn(data);
    if (given > 0) {
      counters.quarantined(given);
      tellWaiting(now);
      sayQuarantined(given, now);
    }
  }

  void sayQuarantined(int samples, LearnerTime now) {
    if (samples > 0) {
      String message =
          "%d new samples are quarantined: the process died whenever they trained"
              .formatted(samples);
      say(DecisionEvent.Type.DROPPED, null, message, now);
    }
  }

  /** Tells the update controller what waits and how much of it may train at once. */
  void tellWaiting(LearnerTime now) {
    controller.waiting(now.nanos(), Waiting.of(data));
    tellLimit();
  }

  private void tellLimit() {
    Bisection step = attempts.bisection();
    long[] waiting = step.searching() ? data.waiting().oldestContents(step.limit()) : new long[0];
    controller.retry(step.asks(waiting) ? step.batch(waiting) : 0);
  }

  // ---- published ------------------------------------------------------------------------------

  private long nextVersion() {
    return counters.modelVersion() + 1;
  }

  private void publicationEnded(Publication.Outcome outcome, LearnerTime now) {
    ModelCheckpoint done = outcome.published();
    if (done == null) {
      String why = String.valueOf(outcome.failure());
      say(DecisionEvent.Type.DROPPED, outcome.model().update(), why, now);
      return;
    }
    counters.published(done.manifest().version());
    service.outdated();
    gate.published(
        new ServedVersion(
            done.manifest().version(),
            done.digest(),
            outcome.model().update().number(),
            outcome.model().artifact()));
    if (tables != null) {
      tables.published(outcome.model().update().number(), done.digest());
    }
    forgetRows();
    incorporation.add(outcome.arrivals().atMillis(), now.millis());
    checkpoint.save(Publication.Transition.SUCCEED);
    context.output().notice(Publication.notice(context.key(), done, context.clock().wallMillis()));
    String branch = done.manifest().attributes().getOrDefault(Publication.BRANCH, "");
    say(DecisionEvent.Type.PUBLISHED, outcome.model().update(), branch, now);
  }

  private void say(
      DecisionEvent.Type type, @Nullable UpdateRecord about, String message, LearnerTime now) {
    reporter.say(type, now, about, message);
  }
}
