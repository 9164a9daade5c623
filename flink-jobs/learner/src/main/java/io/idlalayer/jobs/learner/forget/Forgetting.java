package io.idlalayer.jobs.learner.forget;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.ForgetSettings;
import io.idlalayer.jobs.learner.forget.ForgetCycle.State;
import io.idlalayer.jobs.learner.forget.ForgetCycle.Transition;
import io.idlalayer.jobs.learner.publish.ArtifactState;
import io.idlalayer.jobs.learner.publish.Forgotten;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Forgets samples on request: it logs what each accepted update has trained, keeps earlier models
 * as anchors, collects requests, and plans which updates are trained again from which anchor.
 * {@link ForgetCycle} has the state. Without {@code selection.forget} nothing is logged. Confined
 * to one thread.
 */
public final class Forgetting {
  /** Number of waiting requests with which the retraining begins at once. */
  static final int MOST_COLLECTED = 64;

  /** Largest number of waiting requests, also during a retraining. */
  static final int MOST_WAITING = 10_000;

  /**
   * Requests are collected for this part of the time in the settings; the rest of the time is for
   * training.
   */
  static final int COLLECTING_PART = 4;

  private static final StateFormat FORMAT = StateFormat.first("forgetting");
  private static final StateFormat ANCHORS_FORMAT = StateFormat.first("anchors");
  private static final StateFormat ANCHOR_FORMAT = StateFormat.first("anchor");

  private final ForgetSettings settings;
  private final HashKey hashKey;
  private final ForgetCycle cycle = new ForgetCycle();
  private final TrainingLog log;
  private final Anchors anchors;
  private final List<ForgetRequest> waiting = new ArrayList<>();

  /** Number of waiting requests that are being carried out; they are the first in the list. */
  private int carriedOut;

  /**
   * Whether a retraining has begun and has not ended. It can have been begun by an earlier process
   * that died.
   */
  private boolean begun;

  /**
   * Events that the model has forgotten and that are not reported yet. They are reported when the
   * first version that has forgotten them is published and all earlier versions are deleted.
   */
  private final List<String> unannounced = new ArrayList<>();

  /** Description of what the last retraining has trained, for the report. */
  private String details = "";

  private Forgotten forgotten = Forgotten.NOTHING;

  /**
   * Newest version that was in service when the learner began without state; 0 if there is none.
   */
  private long givenUpVersion;

  private @Nullable LoggedUpdate training;

  public Forgetting(DataSettings settings) {
    this(settings, TrainingLog.MOST_BYTES);
  }

  /**
   * @param mostBytes most bytes of the log
   */
  Forgetting(DataSettings settings, long mostBytes) {
    this.settings = settings.forget();
    hashKey = settings.hashKey();
    log = new TrainingLog(mostBytes);
    anchors = new Anchors(this.settings.anchors());
  }

  /** Returns whether samples can be forgotten. */
  public boolean on() {
    return settings.on();
  }

  // ---- logged ---------------------------------------------------------------------------------

  /**
   * Begins the log, unless the restored state has one.
   *
   * @param now the present model; {@link Anchor#BEGINNING} if there is none
   * @param lastSampleId highest id of a sample so far
   * @return whether a new log begins, so that it must be saved
   */
  public boolean begin(Anchor now, long lastSampleId) {
    boolean begins = beginsLog();
    if (begins) {
      beginAnew(now, lastSampleId);
    }
    return begins;
  }

  /** Returns whether the log still has to begin, because the restored state has none. */
  public boolean beginsLog() {
    return on() && anchors.all().isEmpty();
  }

  /**
   * Records that the learner begins without state.
   *
   * @param served the version in service, which is given up; 0 if there is none
   * @return the transition
   */
  public Transition beginsFromNothing(long served) {
    givenUpVersion = served;
    cycle.move(Transition.BEGIN_LOG);
    return Transition.BEGIN_LOG;
  }

  /** Returns the newest version that was in service when the learner began without state, or 0. */
  public long givenUpVersion() {
    return givenUpVersion;
  }

  /**
   * Begins the log anew, because the samples have other features or classes now. The samples of
   * waiting requests were trained before the new log.
   */
  public void beginAnew(Anchor now, long lastSampleId) {
    waiting.replaceAll(ForgetRequest::beforeNewLog);
    log.beginAnew(now.update(), now.update() == 0 ? 0 : lastSampleId);
    anchors.clear();
    anchors.add(now);
  }

  /** Records the batch of an update whose training begins. */
  public void training(TrainingBatch batch) {
    if (on()) {
      training = LoggedUpdate.of(batch, hashKey);
    }
  }

  /** Logs the update whose training has begun last. It is now accepted. */
  public void accepted(Anchor before) {
    LoggedUpdate trained = training;
    training = null;
    if (trained != null) {
      anchors.add(before);
      log.add(trained);
      anchors.removeBefore(log.unloggedThrough());
    }
  }

  // ---- requested ------------------------------------------------------------------------------

  /** The answers to a request. */
  public enum Answer {
    /** The updates that have trained the sample are trained again without it. */
    WAITS,
    /** No update has trained the sample; there is nothing to forget. */
    NEVER_TRAINED,
    /**
     * The event is not known: it never came, or it left the store and the log. In the second case
     * the model keeps what it has learned from the event.
     */
    UNKNOWN,
    /** Too many requests wait. */
    REFUSED,
    /** The number of forgotten events is the largest that a version can name. */
    FULL
  }

  /**
   * Adds a request to forget the sample of an event whose label was taken back.
   *
   * @param event the event's own id
   * @param storedAs id of the sample that is stored for the event; 0 if there is none
   * @param updates number of updates that were accepted so far
   * @return the answer to the request
   */
  public Answer request(String event, long storedAs, long updates, long nowMillis) {
    long hash = ContentHasher.idHash(event, hashKey);
    boolean known =
        forgotten.events().contains(hash)
            || waiting.stream().anyMatch(each -> each.event().equals(event));
    if (!known && forgotten.samples() + waiting.size() >= Forgotten.MOST_EVENTS) {
      return Answer.FULL;
    }
    Answer answer = answer(event, hash, storedAs, updates, nowMillis);
    if (answer == Answer.NEVER_TRAINED || answer == Answer.UNKNOWN) {
      // After a restore it is possible that the version in service has forgotten the event and this
      // model has not learned it.
      cycle.move(Transition.ANSWER);
      forgotten = forgotten.answered(hash);
    }
    return answer;
  }

  private Answer answer(String event, long hash, long storedAs, long updates, long nowMillis) {
    Set<Long> samples = log.samplesOf(hash);
    if (storedAs > 0) {
      samples.add(storedAs);
    }
    if (samples.isEmpty()) {
      return log.highestUnlogged() == 0 ? Answer.NEVER_TRAINED : Answer.UNKNOWN;
    }
    // If an event left the store and was delivered again, it was possibly trained under two ids.
    boolean beforeLog =
        samples.stream().anyMatch(id -> id <= log.highestUnlogged())
            || log.unloggedEvents().mayContain(hash);
    if (!beforeLog && log.firstTraining(samples) == Long.MAX_VALUE) {
      return Answer.NEVER_TRAINED;
    }
    if (waiting.size() >= MOST_WAITING) {
      return Answer.REFUSED;
    }
    cycle.move(retraining() ? Transition.REQUEST_MORE : Transition.REQUEST);
    waiting.add(new ForgetRequest(event, samples, updates, beforeLog, nowMillis));
    return Answer.WAITS;
  }

  /** Returns the transition of the last request. */
  public Transition requested() {
    return retraining() ? Transition.REQUEST_MORE : Transition.REQUEST;
  }

  /** Returns whether requests wait or are carried out. */
  public boolean busy() {
    return cycle.state() != State.IDLE;
  }

  /**
   * Returns whether a retraining was begun and has not ended; after a restart this is true even
   * before the retraining begins again. No other update must be accepted until the retraining has
   * ended, because the model has learned from the samples.
   */
  public boolean begun() {
    return begun;
  }

  /** Returns whether updates are trained again. */
  public boolean retraining() {
    return cycle.state() == State.RETRAINING;
  }

  /**
   * Returns when the waiting requests are to be carried out, in milliseconds of the learner's
   * clock; Long.MAX_VALUE if no request waits, or if the requests are being carried out.
   * Long.MIN_VALUE if they are due at once, which includes a retraining that a restart has
   * interrupted.
   */
  public long dueMillis() {
    if (cycle.state() != State.WAITING) {
      return Long.MAX_VALUE;
    }
    return begun || waiting.size() >= MOST_COLLECTED
        ? Long.MIN_VALUE
        : waiting.get(0).atMillis() + settings.withinMillis() / COLLECTING_PART;
  }

  /**
   * Returns the time of the last waiting request, in milliseconds of the learner's clock;
   * Long.MIN_VALUE if no request waits. The clock must not show an earlier time than the returned
   * one.
   */
  public long lastRequestMillis() {
    return waiting.stream().mapToLong(ForgetRequest::atMillis).max().orElse(Long.MIN_VALUE);
  }

  // ---- carried out ----------------------------------------------------------------------------

  /** Begins to carry out all waiting requests. Returns the plan of the trainings that follow. */
  public RetrainingPlan plan() {
    cycle.move(Transition.BEGIN);
    begun = true;
    training = null;
    carriedOut = waiting.size();
    // Updates can have left the log since the request.
    boolean fromBeginning = waiting.stream().anyMatch(each -> each.mayBeBefore(log));
    Map<Long, Long> through = new HashMap<>();
    for (ForgetRequest each : waiting) {
      each.samples().forEach(id -> through.merge(id, each.through(), Math::max));
    }
    Anchor found = fromBeginning ? null : anchors.newestBefore(log.firstTraining(through.keySet()));
    Anchor base = found == null ? Anchor.BEGINNING : found;
    return new RetrainingPlan(
        base,
        found == null && log.unloggedThrough() > 0,
        log.after(base.update()).stream().map(each -> each.without(through)).toList(),
        anchors.all().stream()
            .map(Anchor::update)
            .filter(update -> update > base.update())
            .collect(Collectors.toSet()));
  }

  /**
   * Ends a retraining. Its requests are then carried out, and its updates and anchors replace the
   * earlier ones.
   *
   * @param plan the plan that the retraining followed
   * @param how what was trained, as a sentence for the report
   * @return the transition
   */
  public Transition finish(RetrainingPlan plan, RetrainedUpdates trained, String how) {
    details = how;
    List<ForgetRequest> done = waiting.subList(0, carriedOut);
    done.stream()
        .map(ForgetRequest::event)
        .filter(each -> !unannounced.contains(each))
        .distinct()
        .forEach(unannounced::add);
    forgotten =
        forgotten.plus(
            done.stream().map(each -> ContentHasher.idHash(each.event(), hashKey)).toList());
    done.clear();
    carriedOut = 0;
    begun = false;
    if (plan.fromBeginning()) {
      // The model has learned only from updates in the log.
      log.beginAnew(0, 0);
      anchors.clear();
      anchors.add(plan.base());
    }
    log.replaceAfter(plan.base().update(), trained.updates());
    anchors.replaceAfter(plan.base().update(), trained.anchors());
    Transition ended = waiting.isEmpty() ? Transition.END : Transition.END_WITH_MORE;
    cycle.move(ended);
    return ended;
  }

  /** Returns what the model has forgotten. */
  public Forgotten forgotten() {
    return forgotten;
  }

  /** Returns whether the model has forgotten samples and the forgetting was not reported yet. */
  public boolean announces() {
    return !unannounced.isEmpty();
  }

  /**
   * Returns whether the forgetting is to be reported as soon as all earlier versions are deleted.
   */
  public boolean announcesVersion() {
    return announces() && !forgotten.unpublished();
  }

  /**
   * The samples that are forgotten with a version.
   *
   * @param events the events' own ids
   * @param details what was trained again, as a sentence
   */
  public record Announcement(List<String> events, String details) {}

  /** Records the first version that has forgotten the samples. */
  public void published(long version) {
    cycle.move(Transition.PUBLISH);
    forgotten = forgotten.publishedAs(version);
  }

  /**
   * Returns the samples that are forgotten with the published version, and records that they are
   * reported.
   */
  public Announcement announced() {
    cycle.move(Transition.ANNOUNCE);
    Announcement done = new Announcement(List.copyOf(unannounced), details);
    unannounced.clear();
    return done;
  }

  // ---- state ----------------------------------------------------------------------------------

  /** Returns the log, the requests and what is forgotten as bytes for {@link #restore}. */
  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putLong(1, log.unloggedThrough())
        .putLong(2, log.highestUnlogged())
        .putList(3, log.encoded())
        .putList(4, waiting.stream().map(ForgetRequest::snapshot).toList())
        .putTexts(5, unannounced)
        .putLongs(6, forgotten.events().stream().mapToLong(Long::longValue).toArray())
        .putLong(7, forgotten.before())
        .putText(8, details)
        .putBoolean(9, begun)
        .putBytes(10, log.unloggedEvents().snapshot())
        .putLong(11, givenUpVersion)
        .putBoolean(12, forgotten.unpublished())
        .bytes();
  }

  /** Returns the anchors as bytes for {@link #restore}. */
  public byte[] anchorsSnapshot() {
    return ANCHORS_FORMAT
        .writer()
        .putList(1, anchors.all().stream().map(Forgetting::snapshot).toList())
        .bytes();
  }

  private static byte[] snapshot(Anchor anchor) {
    StateWriter out =
        ANCHOR_FORMAT
            .writer()
            .putLong(1, anchor.update())
            .putLong(2, anchor.version())
            .putText(3, anchor.digest());
    ModelArtifact artifact = anchor.artifact();
    return artifact == null
        ? out.bytes()
        : out.putBytes(4, ArtifactState.snapshot(artifact)).bytes();
  }

  /**
   * Restores the state of two snapshots. If the application does not forget samples any more, only
   * the record of forgotten events is restored, and waiting requests are dropped.
   *
   * @return number of dropped requests
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not snapshots
   *     of this class
   */
  public int restore(byte[] snapshot, byte[] anchorsSnapshot) {
    StateReader in = FORMAT.reader(snapshot);
    unannounced.addAll(in.getTexts(5));
    TreeSet<Long> events = new TreeSet<>();
    for (long event : in.getLongs(6)) {
      events.add(event);
    }
    forgotten = new Forgotten(events, in.getLong(7), in.getBoolean(12));
    givenUpVersion = in.getLong(11);
    details = in.getText(8);
    List<byte[]> requests = in.getList(4);
    if (!on()) {
      return requests.size();
    }
    log.unloggedEvents().restore(in.getBytes(10));
    log.restore(in.getList(3), in.getLong(1), in.getLong(2));
    requests.forEach(each -> waiting.add(ForgetRequest.restore(each)));
    for (byte[] each : ANCHORS_FORMAT.reader(anchorsSnapshot).getList(1)) {
      anchors.add(restoreAnchor(each));
    }
    anchors.removeBefore(log.unloggedThrough());
    if (!waiting.isEmpty()) {
      cycle.move(Transition.RESTORE);
      begun = in.getBoolean(9);
    }
    return 0;
  }

  private static Anchor restoreAnchor(byte[] snapshot) {
    StateReader in = ANCHOR_FORMAT.reader(snapshot);
    return new Anchor(
        in.getLong(1),
        in.has(4) ? ArtifactState.restore(in.getBytes(4)) : null,
        in.getLong(2),
        in.getText(3));
  }
}
