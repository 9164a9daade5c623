package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.Arriving;
import io.idlalayer.datacontroller.intake.LostLabel;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.memory.FastMemory;
import io.idlalayer.jobs.learner.mixing.MixedLearning;
import io.idlalayer.jobs.learner.release.Release;
import io.idlalayer.jobs.learner.release.ReleaseParts;
import io.idlalayer.jobs.learner.release.Scoring;
import io.idlalayer.jobs.learner.release.VersionRows;
import io.idlalayer.jobs.learner.samples.SamplePrefetcher;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.learner.state.StateChange;
import io.idlalayer.jobs.learner.update.TrainedRows;
import io.idlalayer.jobs.learner.update.Trainings;
import io.idlalayer.jobs.learner.update.UpdatePipeline;
import io.idlalayer.jobs.processor.ProcessorPart;
import io.idlalayer.jobs.survey.EventSurvey;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The learner of one application partition: it takes events ({@link #arrive}), trains models and
 * publishes them. Training, publishing and scoring run on other threads, which {@link #tick} polls.
 * This class handles a sample from its event to the store; {@link UpdatePipeline} handles an update
 * from its decision to the published model. The learner does not depend on Flink: clock and state
 * are injected. Confined to one thread.
 */
public final class Learner implements AutoCloseable {
  public static final long POLL_MILLIS = 5;
  private static final Logger LOG = LoggerFactory.getLogger(Learner.class);
  private static final long SHOW_MILLIS = 1_000;
  private static final long OLDER_MILLIS = 1_000;

  /** Position of a default label, which does not come from a record. */
  private static final InputPosition NO_RECORD = new InputPosition("", -1, -1);

  /** Most default labels that are given in one call, so that events do not wait long for it. */
  private static final int DEFAULTS_MAX = 1_024;

  /** Most milliseconds for which a learner waits for scores at the end of its input. */
  private static final long SCORING_MILLIS = 10_000;

  private static final String UNKNOWN_POSITIONS =
      "events come from a stream without positions: lost input, repeated deliveries and offsets are"
          + " not known";

  /** Longest time that a checkpoint waits for the results that a prediction log must have. */
  private static final Duration SETTLING = Duration.ofSeconds(2);

  private final LearnerContext context;
  private final LearnerComponents components;
  private final LearnerCheckpoint checkpoint;
  private final LearnerCheckpoint.Restored restored;
  private final EventCounters counters;
  private final InputRequests requests;
  private final DataController data;
  private final UpdateController controller;
  private final PrequentialEvaluator evaluator;
  private final SamplePrefetcher prefetcher;
  private final Scoring scoring;
  private final Release release;
  private final UpdatePipeline pipeline;
  private final Withdrawals withdrawals;
  private final RefusedEvents refused;
  private final RuleWatch rules;
  private final @Nullable FastMemory memory;
  private final StatusReporter reporter;
  private final IngestionTimes ingestion = new IngestionTimes();
  private final @Nullable RowTables tables;
  private LearnerTime now;
  private boolean started;

  /** Whether further events are possibly due for the default label. */
  private boolean defaultsDue;

  private boolean unshownPredictions;
  private long predictionsShownMillis;
  private long lookForOlderAtMillis;

  /**
   * Time in milliseconds at which everything from before the end of the input was trained and
   * published; MAX_VALUE if that has not happened yet.
   */
  private long learnedAtMillis = Long.MAX_VALUE;

  /** Creates a learner for {@link LearnerFactory}; without a budget of DRAM, memory is null. */
  Learner(
      LearnerContext context,
      LearnerComponents components,
      LearnerCheckpoint checkpoint,
      SamplePrefetcher prefetcher,
      LearnerCheckpoint.Restored restored,
      @Nullable FastMemory memory) {
    this.memory = memory;
    this.context = context;
    this.components = components;
    this.checkpoint = checkpoint;
    this.restored = restored;
    this.prefetcher = prefetcher;
    counters = components.counters();
    requests = components.requests();
    data = components.data();
    controller = components.update().controller();
    evaluator = components.evaluator();
    now = context.ports().clock().now();
    predictionsShownMillis = now.millis();
    tables = components.tables().rows();
    scoring =
        new Scoring(
            context.engine().scorer(),
            components.counted(),
            data,
            components.update().drift(),
            tables,
            components.gate(),
            components.trusted().samples(),
            context.ports().predictions());
    refused = new RefusedEvents(context.identity(), components.survey(), context.ports().output());
    rules = new RuleWatch(context.identity().settings().data().staging(), data);
    reporter =
        new StatusReporter(
            context,
            new LearnerStatus(
                components,
                ingestion,
                prefetcher,
                context.engine().status(),
                context.ports().processor()),
            now);
    VersionRows versions = components.versionRows();
    release = release(components, versions);
    pipeline = pipeline(components, versions);
    withdrawals = new Withdrawals(data, counters, pipeline);
  }

  private Release release(LearnerComponents components, VersionRows versions) {
    return new Release(
        context.identity().key(),
        context.ports().models(),
        context.workers().rollBacks(),
        new ReleaseParts(
            components.gate(),
            components.trusted(),
            components.service(),
            components.publication(),
            counters,
            scoring,
            versions,
            checkpoint,
            reporter));
  }

  private UpdatePipeline pipeline(LearnerComponents components, VersionRows versions) {
    TrainedRows rows =
        new TrainedRows(tables, context.identity().settings().input().schema().ids(), versions);
    return new UpdatePipeline(
        context.identity(),
        context.ports().clock(),
        components.update(),
        release,
        new Trainings(
            context.identity(),
            context.workers().trainerThread(),
            context.engine().newTrainer(),
            components.update().attempts(),
            rows,
            context.ports().processor()),
        rows,
        prefetcher,
        scoring,
        checkpoint,
        reporter);
  }

  // ---- the way of a sample --------------------------------------------------------------------

  /**
   * Handles an event from the topics: counts it, learns from it or carries out its request.
   *
   * @throws IllegalStateException before the first {@link #tick}
   */
  public void arrive(LearnerEvent event) throws InterruptedException {
    if (!started) {
      throw new IllegalStateException(
          "call tick() before the learner's first event: it starts the learner");
    }
    now = context.ports().clock().now();
    reporter.changed();
    if (event instanceof LearnerEvent.Input input) {
      count(input);
      if (event instanceof LearnerEvent.SampleArrived sample) {
        learnFrom(sample);
      } else if (event instanceof LearnerEvent.Malformed malformed) {
        counters.malformed();
        components.survey().refused(malformed.refused());
      }
    } else {
      heed(event);
      carryOutDue();
      saveRequests();
    }
    refuseLostLabels();
    writeRows();
  }

  /**
   * Writes the rows of the accepted model to the state. They must be written before the next
   * checkpoint, which is taken between two calls. The next training starts first, so that it does
   * not wait.
   */
  private void writeRows() {
    if (tables != null) {
      tables.write();
    }
  }

  private void count(LearnerEvent.Input event) {
    if (counters.finished()) {
      components.beginSurvey();
    }
    if (counters.receivedCount() == 0 && !event.at().known()) {
      say(DecisionEvent.Type.INPUT, UNKNOWN_POSITIONS);
    }
    counters.received(event.at());
    if (event.createdAtMillis() > 0) {
      ingestion.add(context.ports().clock().wallMillis() - event.createdAtMillis());
    }
  }

  private void learnFrom(LearnerEvent.SampleArrived event) throws InterruptedException {
    Sample sample = event.sample();
    if (data.full(event.payload().length)) {
      waitForSpace();
    }
    giveUpLabels();
    ArrivalOutcome stored =
        data.arriveOverLimit(
            new Arriving(sample, event.hash(), event.payload(), event.record()), now.millis());
    if (stored.changed()) {
      counters.changed();
    }
    if (stored.correctsDefault()) {
      counters.defaultCorrected();
    }
    noticeIn(event, stored.fate());
    switch (stored.fate()) {
      case DUPLICATE -> counters.duplicate();
      case UNLABELED -> counters.unlabeled(1);
      case NEWBORN -> waitsForTraining(stored, event.at());
      case LABEL_JOINED -> {
        counters.labelJoined();
        waitsForTraining(stored, event.at());
      }
      case LABEL_WAITS -> {}
      case EVENT_JOINED -> {
        counters.unlabeled(1);
        counters.labelJoined();
        waitsForTraining(stored, event.at());
      }
      case LABEL_REPLACED -> {
        counters.merged();
        waitsForTraining(stored, event.at());
      }
      case MERGED -> counters.merged();
      case CORRECTED -> {
        counters.revived();
        pipeline.labelWithdrawn(stored.sampleId());
        components.comparison().relearned(stored.sampleId());
        waitsForTraining(stored, event.at());
      }
      case INCOMPLETE -> counters.malformed();
      case DEFAULTED -> throw new IllegalStateException("an event cannot carry the default label");
    }
  }

  /** Adds an event to the survey. An event that is only a label counts when it joins its event. */
  private void noticeIn(LearnerEvent.SampleArrived event, ArrivalOutcome.Fate fate) {
    EventSurvey survey = components.survey();
    Sample sample = event.sample();
    switch (fate) {
      case INCOMPLETE -> refused.incomplete(event);
      case LABEL_WAITS -> survey.sample(sample, false);
      case EVENT_JOINED -> survey.sample(sample, true);
      default -> survey.sample(sample, sample.labeled());
    }
  }

  /**
   * Gives the default label to the events whose labels did not come in time.
   *
   * @param all whether to give it to all events that wait, because the input has ended
   */
  private void giveDefaultLabels(boolean all) {
    int given = 0;
    ArrivalOutcome outcome = data.giveDefaultLabel(now.millis(), all);
    while (outcome != null) {
      counters.labelDefaulted();
      components.survey().defaulted(outcome.sample());
      waitsForTraining(outcome, NO_RECORD);
      given++;
      boolean more = all || given < DEFAULTS_MAX;
      outcome = more ? data.giveDefaultLabel(now.millis(), all) : null;
    }
    defaultsDue = !all && given == DEFAULTS_MAX;
    if (given > 0) {
      reporter.changed();
    }
  }

  /** Gives up the labels whose events did not come in time. */
  private void giveUpLabels() {
    do {
      data.giveUpLabels(now.millis());
    } while (refuseLostLabels());
  }

  /**
   * Counts the labels that were given up since the last call, and sends them to the dead letters.
   * The learner must do this before a checkpoint, because the checkpoint does not contain them.
   * Returns whether there were any.
   */
  private boolean refuseLostLabels() {
    List<LostLabel> lost = data.takeLostLabels();
    counters.labelsGivenUp(lost.size());
    lost.forEach(refused::lost);
    return !lost.isEmpty();
  }

  /**
   * Scores a labelled sample before it is trained, and lets the update rule decide whether to start
   * an update.
   */
  private void waitsForTraining(ArrivalOutcome stored, InputPosition from) {
    evaluator.label(stored.sample().label(), stored.sample().weight());
    components.history().labelled(stored.sample());
    scoring.add(
        stored.sampleId(),
        stored.sample(),
        evaluator.noChangeLabel(),
        evaluator.majorityLabel(),
        from);
    MixedLearning mixing = components.mixing();
    if (mixing != null) {
      mixing.arrived(stored.sample());
    }
    pipeline.carryOut(controller.arrived(now.nanos(), 1), now);
    pipeline.quarantineKillers(now);
    if (!pipeline.training() && data.nearlyFull()) {
      pipeline.carryOut(controller.trainEarly(now.nanos()), now);
    }
  }

  /**
   * Makes space in a full store that holds only samples that wait or train: starts an update and
   * delays the event. The delay is at most {@code fullStoreWait}, because checkpoints wait too.
   * After the delay the sample is stored although the store is full.
   */
  private void waitForSpace() throws InterruptedException {
    if (!pipeline.training()) {
      pipeline.carryOut(controller.trainNow(now.nanos()), now);
    }
    pipeline.await(context.workers().fullStoreWait());
    now = context.ports().clock().now();
    poll();
  }

  // ---- requests and news of the input ---------------------------------------------------------

  private void heed(LearnerEvent event) {
    if (event instanceof LearnerEvent.LostInput lost) {
      heedLoss(lost);
      return;
    }
    if (event instanceof LearnerEvent.Reread) {
      requests.reread();
      return;
    }
    if (event instanceof LearnerEvent.UndeclaredFields fields) {
      components.survey().undeclared(fields.names());
    } else if (event instanceof LearnerEvent.RefusedRequest refused) {
      requests.refused();
      say(DecisionEvent.Type.INPUT, "refused " + refused.reason());
    } else if (event instanceof LearnerEvent.Explain asked) {
      reporter.answer(data, tables, asked.sampleId(), now);
    } else if (event instanceof LearnerEvent.Request request) {
      String refused = requests.add(request);
      if (refused != null) {
        say(DecisionEvent.Type.INPUT, refused);
      }
    }
    if (context.identity().settings().input().reads(event.at().topic())) {
      counters.passed(event.at());
    }
  }

  private void heedLoss(LearnerEvent.LostInput event) {
    counters.cut(event.at());
    if (context.identity().key().partition() > 0) {
      // Every learner gets the record, and the first one counts it.
      return;
    }
    Status.LostRange lost = requests.lost(event);
    say(
        DecisionEvent.Type.INPUT,
        "input lost: offsets %d to %d of %s, because %s"
            .formatted(lost.from(), lost.until() - 1, lost.input(), lost.why()));
  }

  /** Carries out the requests whose offsets are reached. */
  private void carryOutDue() throws InterruptedException {
    if (!requests.anyWaits()) {
      return;
    }
    boolean ends = false;
    for (InputRequests.Request due : requests.due(counters.inputOffsets())) {
      switch (due.kind()) {
        case TRAIN -> pipeline.carryOut(controller.trainOnRequest(now.nanos()), now);
        case RETRACT -> withdrawals.retract(due.id(), now);
        case FORGET -> withdrawals.forget(due.id(), now);
        case END -> {
          requests.reached(due.id(), now.millis());
          learnedAtMillis = Long.MAX_VALUE;
          giveDefaultLabels(true);
          ends = true;
        }
      }
    }
    saveRequests();
    if (ends) {
      tick();
    }
  }

  // ---- what takes time ------------------------------------------------------------------------

  /**
   * Handles the results of the other threads, lets the update rule start an update, and announces
   * the end of the input. The first call continues what a restart has interrupted.
   */
  public void tick() throws InterruptedException {
    now = context.ports().clock().now();
    if (!started) {
      start();
    }
    giveUpLabels();
    giveDefaultLabels(false);
    carryOutDue();
    scoring.flush();
    poll();
    refuseLostLabels();
    if (!pipeline.training()) {
      pipeline.carryOut(
          requests.ending() ? controller.flush(now.nanos()) : controller.evaluate(now.nanos()),
          now);
    }
    if (unshownPredictions && now.millis() >= predictionsShownMillis + SHOW_MILLIS) {
      showPredictions();
    }
    if (ended()) {
      finish();
    } else {
      watch();
    }
    refuseLostLabels();
    writeRows();
  }

  private void start() {
    started = true;
    pipeline.start(now);
    if (!restored.known()) {
      return;
    }
    saveRequests();
    if (counters.finished()) {
      say(DecisionEvent.Type.FINISHED, "input ended before; nothing new to learn");
    } else {
      say(
          DecisionEvent.Type.RESTORED,
          "continues after %d events%s".formatted(counters.receivedCount(), behind()));
    }
    if (!restored.changes().isEmpty()) {
      say(DecisionEvent.Type.INPUT, restored.changes());
    }
    if (!restored.suspicion().isEmpty()) {
      say(DecisionEvent.Type.DROPPED, restored.suspicion());
    }
    pipeline.sayQuarantined(restored.quarantined(), now);
  }

  private String behind() {
    long version = pipeline.behindVersion();
    return version == 0
        ? ""
        : "; it catches up: versions wait until it has learned as much as version " + version;
  }

  private void poll() throws InterruptedException {
    if (scoring.poll()) {
      reporter.changed();
      scored();
      if (scoring.takeUrgencyChanged()) {
        pipeline.urgencyChanged(now);
      }
    }
    pipeline.poll(requests.ending(), requests.lostOffsets(), now);
  }

  private void watch() {
    sayNews(DecisionEvent.Type.RULES, rules.look(now.millis()));
    sayNews(DecisionEvent.Type.MEMORY, memory == null ? null : memory.look(now.millis()));
    reporter.report(now);
    if (tables != null && tables.maintain(wallSeconds())) {
      checkpoint.save(StateChange.Other.ROWS_DELETED);
    }
    if (pipeline.training()) {
      prefetcher.prefetch(data);
    }
  }

  private void sayNews(DecisionEvent.Type type, @Nullable String news) {
    if (news != null) {
      say(type, news);
    }
  }

  private long wallSeconds() {
    return TimeUnit.MILLISECONDS.toSeconds(context.ports().clock().wallMillis());
  }

  private boolean ended() {
    if (!requests.ending()
        || !pipeline.published()
        || pipeline.trainsArrivedBy(requests.reachedAtMillis())) {
      return false;
    }
    if (learnedAtMillis == Long.MAX_VALUE) {
      if (data.waiting().size() == 0 ? pipeline.training() : olderWaits()) {
        return false;
      }
      learnedAtMillis = now.millis();
    }
    return scoring.idle() || now.millis() - learnedAtMillis > SCORING_MILLIS;
  }

  /**
   * Returns whether a sample from before the end of the input still waits for training. Producers
   * can still be sending, so this method compares arrival times, at most once a second.
   */
  private boolean olderWaits() {
    if (now.millis() < lookForOlderAtMillis) {
      return true;
    }
    lookForOlderAtMillis = now.millis() + OLDER_MILLIS;
    boolean[] older = {false};
    data.waiting().forEachArrival(millis -> older[0] |= millis <= requests.reachedAtMillis());
    return older[0];
  }

  /** Returns whether everything before the last end of the input was learned and published. */
  public boolean finished() {
    return counters.finished() && !requests.ending();
  }

  /** Sends the last status of a job that ends now. */
  public void sayLastStatus() {
    reporter.sayStatus(now);
  }

  private void finish() {
    showPredictions();
    counters.finish();
    requests.finish();
    say(DecisionEvent.Type.FINISHED, "input ended; " + release.served());
    saveRequests();
  }

  /** Returns the milliseconds until {@link #tick} must be called next, above 0. */
  public long sleepMillis() {
    return started ? nextTickMillis() - now.millis() : 1;
  }

  private long nextTickMillis() {
    long next = Math.max(reporter.statusAtMillis(), now.millis() + 1);
    if (defaultsDue) {
      return now.millis() + 1;
    }
    boolean tablesBusy = tables != null && tables.busy();
    if (pipeline.training() || !scoring.idle() || tablesBusy) {
      next = Math.min(next, now.millis() + POLL_MILLIS);
    }
    next = Math.min(next, pipeline.nextPublicationLookMillis(now, POLL_MILLIS));
    if (!pipeline.training()) {
      long firing = controller.nextFiringNanos();
      if (firing != UpdateDecision.Explanation.NEVER) {
        // If a timer fires too early, it must be set again.
        next = Math.min(next, LearnerTime.millisNotBefore(firing));
      }
    }
    return Math.max(next, now.millis() + 1);
  }

  // ---- state and reports ----------------------------------------------------------------------

  /**
   * Writes the state that changed since the last checkpoint, except new samples and rows, which are
   * written at once. The engine must call this before it takes a checkpoint; otherwise the
   * checkpoint would contain samples that are not counted.
   */
  public void beforeCheckpoint() {
    if (started) {
      settlePredictions();
      checkpoint.save(StateChange.Other.COUNTED);
    }
    writeState();
    pipeline.checkpointed();
  }

  /** Writes slots of the state and metadata of samples that have changed, mostly by updates. */
  void writeState() {
    context.ports().processor().count(ProcessorPart.ACCEPTING, this::writeChanges);
  }

  private void writeChanges() {
    prefetcher.write();
    checkpoint.write();
  }

  /** Counts the tests of all samples so far, so that a prediction log and the metrics agree. */
  private void settlePredictions() {
    if (!context.ports().predictions().wanted()) {
      return;
    }
    try {
      if (scoring.settle(SETTLING)) {
        scored();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    showPredictions();
    checkpoint.save(StateChange.Other.PREDICTED);
  }

  private void saveRequests() {
    if (requests.takeChanged()) {
      checkpoint.save(StateChange.Other.REQUESTED);
    }
  }

  private void scored() {
    unshownPredictions = true;
    checkpoint.save(StateChange.Other.SCORED);
  }

  private void showPredictions() {
    unshownPredictions = false;
    predictionsShownMillis = now.millis();
    scoring.showPredictions();
  }

  private void say(DecisionEvent.Type type, String message) {
    reporter.say(type, now, null, message);
  }

  /** Frees the scorer and the learner's payloads in the hot cache. The state is durable already. */
  @Override
  public void close() {
    MixedLearning mixing = components.mixing();
    try (mixing) {
      scoring.close();
    } finally {
      try {
        context.ports().predictions().close();
      } catch (IOException failed) {
        LOG.warn("The last predictions could not be written", failed);
      } finally {
        prefetcher.close();
      }
    }
  }
}
