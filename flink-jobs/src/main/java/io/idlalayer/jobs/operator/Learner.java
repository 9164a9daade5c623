package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.DataController;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateView;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.middleware.checkpoint.ModelCheckpoint;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.evaluation.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.QualityRegret;
import io.idlalayer.modelcontroller.quality.QualitySettings;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelcontroller.update.UpdateDecision;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One application partition: a complete iDlaLayer. Both controllers live here and converse by
 * method calls on the operator's thread; training, publishing and scoring run on other threads and
 * are polled by {@link #tick}. Engine-free: time comes from an injected clock, state through a
 * port.
 */
final class Learner implements AutoCloseable {
  static final long POLL_MILLIS = 20;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long SAVE_MILLIS = 1_000;
  private static final long OLDER_MILLIS = 1_000;
  private static final long SCORING_MILLIS = 10_000;

  private final LearnerParts parts;
  private final LearnerState state;
  private final Ledger ledger;
  private final DataController data;
  private final UpdateController update;
  private final UpdateRun run;
  private final Publication publication;
  private final PrequentialEvaluator evaluator;
  private final Scoring scoring;
  private final QualityRegret quality;
  private final Incorporation incorporation;
  private final SampleCare samples;
  private final RuleWatch rules;
  private final Announcer announcer;
  private final InputRequests requests;
  private final IngestionTimes ingestionTimes = new IngestionTimes();
  private final SampleCodec codec = new SampleCodec();

  private long nowMillis;
  private long[] publishingArrivals = Longs.NONE;
  private boolean unsavedScores;
  private long scoresSavedMillis;
  private long lookForOlderAtMillis;

  /** Opens the learner of the current key: new, or as its state says. */
  Learner(LearnerParts parts) {
    this.parts = parts;
    this.state = parts.state();
    StoredIdentity.require(state, parts.settings());
    byte[] books = state.get(LearnerState.Slot.LEDGER);
    ledger = books == null ? new Ledger() : Ledger.decode(books);
    byte[] asked = state.get(LearnerState.Slot.REQUESTS);
    requests = asked == null ? new InputRequests() : InputRequests.decode(asked);
    samples = new SampleCare(state.samples(), parts);
    data = new DataController(parts.settings().data(), samples.store(), parts.settings().seed());
    rules = new RuleWatch(parts.settings().data().staging(), data);
    update = new UpdateController(parts.settings().update(), new TrainingCostModel());
    run = new UpdateRun(parts, data, update, ledger, samples);
    publication = new Publication(parts);
    byte[] sums = state.get(LearnerState.Slot.EVALUATION);
    evaluator = new PrequentialEvaluator(parts.settings().model().schema().label().task());
    if (sums != null) {
      evaluator.restore(sums);
    }
    quality = new QualityRegret(parts.settings().update().quality());
    scoring = new Scoring(parts.scorer(), evaluator, data, quality);
    byte[] times = state.get(LearnerState.Slot.INCORPORATION);
    incorporation = times == null ? new Incorporation() : Incorporation.decode(times);
    if (books != null) {
      recall();
    } else {
      parts.clock().start(Long.MIN_VALUE);
    }
    nowMillis = parts.clock().millis();
    requests.restoredAt(nowMillis);
    scoresSavedMillis = nowMillis;
    announcer = new Announcer(parts, this::status, nowMillis);
    if (books != null) {
      restore();
    }
  }

  /** Reads what does not depend on the time, and starts the clock behind all it knows of. */
  private void recall() {
    byte[] small = state.get(LearnerState.Slot.DATA);
    if (small != null) {
      data.restore(small);
    }
    data.rebuild(
        samples -> IndexRoom.process().loaded(parts.key().text(), parts.settings(), samples));
    byte[] rule = state.get(LearnerState.Slot.UPDATE);
    if (rule != null) {
      update.restore(rule);
    }
    long remembered = Math.floorDiv(update.rememberedNanos(), NANOS_PER_MILLI) + 1;
    parts.clock().start(Math.max(data.lastArrivalMillis(), remembered));
  }

  private void restore() {
    byte[] watched = state.get(LearnerState.Slot.QUALITY);
    if (watched != null) {
      quality.restore(watched);
      update.urgency(quality.urgency(), nowMillis * NANOS_PER_MILLI);
    }
    int killers = run.quarantineKillers();
    update.rebuild(
        nowMillis * NANOS_PER_MILLI,
        each -> data.forEachPending(millis -> each.arrived(millis * NANOS_PER_MILLI)));
    publishingArrivals = Longs.decode(state.get(LearnerState.Slot.PUBLISHING));
    run.restoreModel();
    AcceptedModel model = run.model();
    if (model != null) {
      scoring.serve(model.artifact());
      if (!model.published()) {
        // Before the next training: that one must know which version it continues.
        publication.start(model, ledger.modelVersion + 1);
      }
    }
    String died = run.restorePending(nowMillis);
    run.tellWaiting(nowMillis);
    saveLedger();
    if (ledger.finished()) {
      emit(DecisionEvent.Type.FINISHED, null, "input ended before; nothing new to learn");
    } else {
      emit(DecisionEvent.Type.RESTORED, null, "continues after " + ledger.received + " events");
    }
    if (!died.isEmpty()) {
      emit(DecisionEvent.Type.DROPPED, null, died);
    }
    sayKillers(killers);
  }

  private void sayKillers(int killers) {
    if (killers > 0) {
      emit(
          DecisionEvent.Type.DROPPED,
          null,
          "%d new samples are quarantined: the process died whenever they trained"
              .formatted(killers));
    }
  }

  /** Books one event and lets the controllers act on it. */
  void arrive(Arrival arrival) throws InterruptedException {
    nowMillis = parts.clock().millis();
    announcer.changed();
    if (arrival.kind == Arrival.SAMPLE || arrival.kind == Arrival.MALFORMED) {
      ledger.read(arrival.topic, arrival.topicPartition, arrival.offset);
      ledger.received++;
      if (arrival.createdAtMillis > 0) {
        ingestionTimes.add(parts.clock().wallMillis() - arrival.createdAtMillis);
      }
      if (arrival.kind == Arrival.MALFORMED) {
        ledger.malformed++;
      } else {
        learnFrom(arrival);
      }
    } else {
      heed(arrival);
      carryOutDue();
    }
    saveLedger();
  }

  /** Takes what is no event: requests, position marks, news of the input. */
  private void heed(Arrival arrival) {
    boolean onInput = arrival.topic.equals(parts.settings().input().topic());
    switch (arrival.kind) {
      case Arrival.LOST -> {
        ledger.cut(arrival.topic, arrival.topicPartition, arrival.offset);
        if (parts.key().partition() > 0) {
          // Every learner is told, and the first counts.
          return;
        }
        Status.LostRange lost = requests.lost(arrival);
        emit(
            DecisionEvent.Type.INPUT,
            null,
            "input lost: offsets %d to %d of %s, because %s"
                .formatted(lost.from(), lost.until() - 1, lost.input(), lost.why()));
        return;
      }
      case Arrival.REREAD -> {
        requests.reread();
        return;
      }
      case Arrival.REFUSED_CONTROL -> {
        requests.refused();
        emit(DecisionEvent.Type.INPUT, null, "refused " + arrival.text);
      }
      case Arrival.EXPLAIN -> announcer.answer(data, arrival.text, nowMillis);
      case Arrival.END, Arrival.TRAIN, Arrival.RETRACT -> {
        String refused = requests.add(arrival, parts.settings().input().topic());
        if (refused != null) {
          emit(DecisionEvent.Type.INPUT, null, refused);
        }
      }
      default -> {}
    }
    if (onInput) {
      ledger.passed(arrival.topic, arrival.topicPartition, arrival.offset);
    }
  }

  /** Carries out the requests that waited for what has been read by now. */
  private void carryOutDue() throws InterruptedException {
    if (!requests.anyWaits()) {
      return;
    }
    boolean ends = false;
    for (InputRequests.Request due : requests.due(ledger.inputOffsets())) {
      switch (due.kind()) {
        case Arrival.TRAIN -> act(update.trainOnRequest(nowMillis * NANOS_PER_MILLI));
        case Arrival.RETRACT -> retract(due.id());
        default -> {
          requests.reached(due.id(), nowMillis);
          ends = true;
        }
      }
    }
    saveLedger();
    if (ends) {
      tick();
    }
  }

  /** Takes a label back. What waits for its first training counts as never labelled. */
  private void retract(String eventId) {
    DataController.Withdrawal taken = data.retract(eventId);
    switch (taken.fate()) {
      case WITHDRAWN -> {
        ledger.unlabeled++;
        run.tellWaiting(nowMillis);
      }
      case WITHDRAWN_IN_TRAINING, WITHDRAWN_AFTER_TRAINING -> run.withdrawn(taken.sampleId());
      case UNKNOWN -> {}
    }
  }

  private void learnFrom(Arrival arrival) throws InterruptedException {
    Sample sample = decode(arrival);
    if (data.full(arrival.body.length)) {
      makeRoom();
    }
    ContentHash hash = new ContentHash(arrival.hashHigh, arrival.hashLow);
    DataController.Arrival outcome = data.arriveOverLimit(sample, hash, arrival.body, nowMillis);
    switch (outcome.fate()) {
      case DUPLICATE -> ledger.duplicates++;
      case UNLABELED -> ledger.unlabeled++;
      case REVIVED -> ledger.revived++;
      case LABEL_JOINED -> ledger.joined++;
      case NEWBORN -> {}
    }
    if (!sample.labeled()) {
      return;
    }
    evaluator.label(sample.label());
    switch (outcome.fate()) {
      case NEWBORN, REVIVED, LABEL_JOINED -> {
        scoring.add(
            outcome.sampleId(), sample, evaluator.noChangeLabel(), evaluator.majorityLabel());
        act(update.arrived(nowMillis * NANOS_PER_MILLI, 1));
        int killers = run.quarantineKillers();
        if (killers > 0) {
          run.tellWaiting(nowMillis);
          sayKillers(killers);
        }
        if (!run.training() && data.nearlyFull()) {
          act(update.trainEarly(nowMillis * NANOS_PER_MILLI));
        }
      }
      case DUPLICATE, UNLABELED -> {}
    }
  }

  private Sample decode(Arrival arrival) {
    try {
      return codec.decode(arrival.body);
    } catch (MalformedSampleException damaged) {
      throw new IllegalStateException(
          "event %s-%d@%d was damaged between source and operator"
              .formatted(arrival.topic, arrival.topicPartition, arrival.offset),
          damaged);
    }
  }

  /**
   * Only samples that wait or train are left in a full store: trains, and holds the event up a
   * while. Longer would keep checkpoints from passing, so it is stored over the limit then.
   */
  private void makeRoom() throws InterruptedException {
    if (!run.training()) {
      act(update.trainNow(nowMillis * NANOS_PER_MILLI));
    }
    run.await(parts.roomWait());
    nowMillis = parts.clock().millis();
    poll();
  }

  /** Polls the other threads, lets the rule fire, announces the end. Called by timers. */
  void tick() throws InterruptedException {
    nowMillis = parts.clock().millis();
    carryOutDue();
    scoring.flush();
    poll();
    if (!run.training()) {
      long nowNanos = nowMillis * NANOS_PER_MILLI;
      act(requests.ending() ? update.flush(nowNanos) : update.evaluate(nowNanos));
    }
    if (unsavedScores && nowMillis >= scoresSavedMillis + SAVE_MILLIS) {
      saveScores();
    }
    if (ended()) {
      saveScores();
      ledger.finish();
      requests.finish();
      emit(DecisionEvent.Type.FINISHED, null, "input ended; everything is trained and published");
      saveLedger();
    } else {
      watch();
    }
  }

  private void watch() {
    String news = rules.look(nowMillis);
    if (news != null) {
      announcer.say(DecisionEvent.Type.RULES, nowMillis, null, news);
    }
    announcer.report(nowMillis);
    if (run.training()) {
      samples.step(data);
    }
  }

  private boolean ended() {
    return requests.ending()
        && publication.idle()
        && (scoring.idle() || nowMillis - requests.reachedAtMillis() > SCORING_MILLIS)
        && (data.pending() == 0 ? !run.training() : !olderWaits());
  }

  /**
   * Whether a sample from before the end waits. Others may go on to send, and then something always
   * waits; so this looks at arrival times, at most once a second.
   */
  private boolean olderWaits() {
    if (nowMillis < lookForOlderAtMillis) {
      return true;
    }
    lookForOlderAtMillis = nowMillis + OLDER_MILLIS;
    boolean[] older = {false};
    data.forEachPending(millis -> older[0] |= millis <= requests.reachedAtMillis());
    return older[0];
  }

  private void poll() throws InterruptedException {
    if (scoring.poll()) {
      announcer.changed();
      unsavedScores = true;
      if (scoring.takeUrgencyChanged()) {
        act(update.urgency(quality.urgency(), nowMillis * NANOS_PER_MILLI));
      }
    }
    Publication.Outcome published = publication.poll(nowMillis, ledger.modelVersion + 1);
    if (published != null) {
      book(published);
    }
    UpdateRun.Ended ended = publication.running() ? null : run.poll(nowMillis);
    if (ended != null) {
      book(ended);
    }
    String problem = run.takeProblem();
    if (!problem.isEmpty()) {
      emit(DecisionEvent.Type.DROPPED, null, problem);
    }
  }

  private void book(Publication.Outcome outcome) {
    ModelCheckpoint done = outcome.published();
    if (done == null) {
      emit(DecisionEvent.Type.DROPPED, outcome.model().update(), String.valueOf(outcome.failure()));
      return;
    }
    AcceptedModel model =
        outcome
            .model()
            .published(done.manifest().version(), done.digest(), parts.clock().wallMillis());
    run.published(model);
    incorporation.add(publishingArrivals, nowMillis);
    publishingArrivals = Longs.NONE;
    state.put(LearnerState.Slot.PUBLISHING, null);
    state.put(LearnerState.Slot.INCORPORATION, incorporation.encode());
    saveLedger();
    parts.output().notice(Publication.notice(parts.key(), done, parts.clock().wallMillis()));
    String branch = done.manifest().attributes().getOrDefault(Publication.BRANCH, "");
    emit(DecisionEvent.Type.PUBLISHED, model.update(), branch);
  }

  private void book(UpdateRun.Ended ended) {
    saveLedger();
    if (ended instanceof UpdateRun.Ended.Accepted accepted) {
      announcer.say(
          announcer
              .event(DecisionEvent.Type.STAGED, accepted.model().update(), "")
              .with(SampleViews.moves(accepted.report())),
          nowMillis);
      scoring.serve(accepted.model().artifact());
      publishingArrivals =
          Longs.concat(
              publishingArrivals, ended.update().arrivedAtMillis(), Incorporation.MOST_WAITING);
      state.put(LearnerState.Slot.PUBLISHING, Longs.encode(publishingArrivals));
      publication.start(accepted.model(), ledger.modelVersion + 1);
      if (quality.updated()) {
        saveQuality();
        act(update.urgency(quality.urgency(), nowMillis * NANOS_PER_MILLI));
        return;
      }
    } else if (ended instanceof UpdateRun.Ended.Dropped dropped) {
      emit(
          DecisionEvent.Type.DROPPED,
          StatusView.fired(dropped.update(), run.model()),
          dropped.reason());
    }
    act(ended.next());
  }

  /** Writes what was scored; large with many classes, so once a second is enough. */
  private void saveScores() {
    unsavedScores = false;
    scoresSavedMillis = nowMillis;
    state.put(LearnerState.Slot.EVALUATION, evaluator.snapshot());
    saveQuality();
  }

  private void saveQuality() {
    if (parts.settings().update().quality().detector() != QualitySettings.Detector.OFF) {
      state.put(LearnerState.Slot.QUALITY, quality.snapshot());
    }
  }

  private void act(UpdateDecision decision) {
    UpdateDecision next = decision;
    if (decision instanceof UpdateDecision.Restart restart) {
      PendingUpdate given = run.abort();
      if (given == null) {
        return;
      }
      update.trainingAborted(nowMillis * NANOS_PER_MILLI);
      run.tellWaiting(nowMillis);
      saveLedger();
      emit(
          DecisionEvent.Type.ABORTED,
          StatusView.fired(given, run.model()),
          restart.explanation().reason());
      next = update.evaluate(nowMillis * NANOS_PER_MILLI);
    }
    PendingUpdate fired = run.act(next, nowMillis);
    if (fired != null) {
      samples.trainingStarted(data, ledger.updates + 2);
      announcer.fired(
          fired, run.model(), ArrivalTimes.of(toWallMillis(fired.arrivedAtMillis())), nowMillis);
    }
  }

  private long[] toWallMillis(long[] millis) {
    long shift = parts.clock().toWallMillis();
    return Arrays.stream(millis).map(each -> each + shift).toArray();
  }

  /** How long {@link #tick} may be waited for, milliseconds, above 0. */
  long sleepMillis() {
    return nextTickMillis() - nowMillis;
  }

  private long nextTickMillis() {
    long next = Math.max(announcer.statusAtMillis(), nowMillis + 1);
    if (run.training() || !scoring.idle()) {
      next = Math.min(next, nowMillis + POLL_MILLIS);
    }
    next = Math.min(next, publication.nextLookMillis(nowMillis, POLL_MILLIS));
    if (!run.training()) {
      long firing = update.nextFiringNanos();
      if (firing != UpdateDecision.Explanation.NEVER) {
        // Round up: a timer that rings early would only have to be set again.
        next = Math.min(next, Math.floorDiv(firing + NANOS_PER_MILLI - 1, NANOS_PER_MILLI));
      }
    }
    return Math.max(next, nowMillis + 1);
  }

  private void saveLedger() {
    state.put(LearnerState.Slot.LEDGER, ledger.encode());
    byte[] asked = requests.takeChanged();
    if (asked != null) {
      state.put(LearnerState.Slot.REQUESTS, asked);
    }
  }

  private void emit(DecisionEvent.Type type, @Nullable UpdateView view, String message) {
    announcer.say(type, nowMillis, view, message);
  }

  private Status status() {
    return StatusView.of(
        ledger,
        data,
        evaluator.summary(),
        new StatusView.Times(incorporation, ingestionTimes, samples.usage()),
        new StatusView.Standing(
            update.explain(nowMillis * NANOS_PER_MILLI), nowMillis, run.training()),
        requests.status());
  }

  /** Frees the scorer and the hot payloads; state is durable already. */
  @Override
  public void close() {
    try {
      parts.scorer().close();
    } finally {
      samples.close();
    }
  }
}
