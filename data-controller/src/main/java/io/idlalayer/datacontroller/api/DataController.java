package io.idlalayer.datacontroller.api;

import io.idlalayer.datacontroller.evaluation.SampleEvaluator;
import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.Arriving;
import io.idlalayer.datacontroller.intake.AwaitedLabels;
import io.idlalayer.datacontroller.intake.EarlyLabels;
import io.idlalayer.datacontroller.intake.EventRecord;
import io.idlalayer.datacontroller.intake.Intake;
import io.idlalayer.datacontroller.intake.LostLabel;
import io.idlalayer.datacontroller.intake.Retraction;
import io.idlalayer.datacontroller.intake.StoreFullException;
import io.idlalayer.datacontroller.intake.UnlabeledQueue;
import io.idlalayer.datacontroller.intake.WaitingQueue;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.selection.SelectionPolicies;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLibrary;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.StoreEviction;
import io.idlalayer.middleware.fuzzy.fcl.FclException;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.history.KeyHistories;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Manages the samples of one application partition: stores arriving samples, joins events with the
 * same id, chooses the samples of each update, and moves samples between life stages by their
 * contributions. Everything that must survive a restart is written to the store at once. Confined
 * to one thread.
 */
public final class DataController {
  private static final StateFormat FORMAT = StateFormat.first("data controller");

  /** Number of samples after which a rebuild reports its progress. */
  public static final int REPORT_EVERY = 1_024;

  /** Heap bytes of a waiting sample's id, in an array that has just doubled. */
  private static final int WAITING_BYTES = 2 * Long.BYTES;

  private final DataSettings settings;
  private final SampleIndex index = new SampleIndex();
  private final SampleLibrary library;
  private final StoreEviction eviction;
  private final SelectionPolicy selector;
  private final SampleEvaluator evaluator;
  private final WaitingQueue queue = new WaitingQueue();
  private final EarlyLabels earlyLabels;
  private final AwaitedLabels awaited;
  private final UnlabeledQueue unlabeled;
  private final Intake intake;
  private final WaitingSamples waiting;
  private final StoredSamples samples;
  private final TrainingSession.Parts sessionParts;
  private @Nullable TrainingSession session;

  /**
   * @param seed seed of all random numbers
   * @throws IllegalArgumentException with every problem of the rules in the settings
   */
  public DataController(DataSettings settings, SampleStore store, long seed) {
    this(settings, store, index -> SelectionPolicies.of(settings.replay(), seed, index));
  }

  /**
   * Creates a controller with a given selection policy instead of the policy in the settings.
   *
   * @param selection creates the policy over the controller's index
   * @throws IllegalArgumentException with every problem of the rules in the settings
   */
  public DataController(
      DataSettings settings, SampleStore store, Function<SampleIndex, SelectionPolicy> selection) {
    this(settings, store, selection, KeyHistories.NONE);
  }

  /**
   * Creates a controller whose samples get the history of their keys as context.
   *
   * @param histories the histories of keys; their state is saved separately from the controller's
   *     state
   */
  public DataController(
      DataSettings settings,
      SampleStore store,
      Function<SampleIndex, SelectionPolicy> selection,
      KeyHistories histories) {
    this.settings = settings;
    library = new SampleLibrary(index, store);
    eviction = new StoreEviction(settings, index);
    selector = selection.apply(index);
    evaluator = new SampleEvaluator(settings.staging(), index);
    earlyLabels = new EarlyLabels(settings.labelWaitMillis(), index, library);
    awaited = new AwaitedLabels(settings.defaultLabel(), index);
    unlabeled = new UnlabeledQueue(settings.maxUnlabeled(), index, library, earlyLabels);
    intake =
        new Intake(
            settings, index, library, eviction, queue, unlabeled, earlyLabels, awaited, histories);
    waiting = new WaitingSamples(queue, index, library);
    samples = new StoredSamples(index, library, evaluator, settings.hashKey());
    sessionParts = new TrainingSession.Parts(index, library, queue, unlabeled, evaluator, selector);
  }

  /**
   * Returns an upper bound of the heap bytes of a controller with a number of samples, without
   * their payloads, which are in the store.
   *
   * @param samples number of stored samples, 0 to {@link SampleIndex#MOST_SAMPLES}
   * @param eventIds whether events have their own ids
   */
  public static long heapBytesFor(DataSettings settings, long samples, boolean eventIds) {
    int orders = settings.staging().maxAgeUpdates() == 0 ? 2 : 3;
    int counted = SelectionPolicies.counts(settings.replay().policy()) ? 1 : 0;
    return SampleIndex.heapBytesFor(samples, eventIds, orders, counted) + samples * WAITING_BYTES;
  }

  /**
   * Replaces the FCL rules by which samples are scored from now on.
   *
   * @param name name of the rules, for messages
   * @param source text of an FCL file
   * @throws FclException with every problem of the rules; the old rules then remain
   */
  public void useRules(String name, String source) throws FclException {
    evaluator.useRules(name, source);
  }

  /** Observes the progress of a rebuild. */
  @FunctionalInterface
  public interface RebuildWatcher {
    /**
     * Receives the number of samples that were read so far. The receiver can throw an exception to
     * end the rebuild before the heap is full.
     *
     * @param samples number of samples, a multiple of {@link #REPORT_EVERY}
     */
    void loaded(long samples);
  }

  /**
   * Rebuilds the index of samples from the store's metadata after a restart. Nothing is in training
   * afterwards.
   */
  public void rebuild(RebuildWatcher watcher) {
    library.forEachMetadata(
        (id, metadata) -> {
          index.load(id, metadata);
          intake.loaded(id, metadata);
          if (metadata.identity().labelOnly()) {
            earlyLabels.add(id);
          }
          if (!metadata.labeled()) {
            unlabeled.load(id);
            awaited.add(id);
          } else if (metadata.stage() == LifeStage.NEWBORN) {
            queue.add(id);
          }
          if (index.size() % REPORT_EVERY == 0) {
            watcher.loaded(index.size());
          }
        });
    index.loaded();
    queue.sort(intake::waitsLonger);
    unlabeled.sort();
    earlyLabels.sort(intake::waitsLonger);
    awaited.sort(intake::waitsLonger);
    unlabeled.trim();
  }

  /** Returns the id of the newest sample so far, stored or not; 0 before the first. */
  public long lastSampleId() {
    return intake.nextId() - 1;
  }

  /**
   * Handles an arriving sample. A sample without an id is stored; if its content is stored already,
   * the arrival is counted. A sample with an id is stored, or joined to the stored sample of its
   * event.
   *
   * @param hash hash of the sample by {@link ContentHasher}
   * @param payload encoding of the sample, which is stored unchanged
   * @param nowMillis epoch milliseconds; a clock that went back counts as standing still
   * @throws StoreFullException if the store is {@link #full}; nothing has changed then
   */
  public ArrivalOutcome arrive(Sample sample, ContentHash hash, byte[] payload, long nowMillis) {
    return intake.arrive(
        new Arriving(sample, hash, payload, EventRecord.UNKNOWN), nowMillis, false);
  }

  /**
   * Handles an arriving sample like {@link #arrive}, but stores a new sample even above the limits
   * instead of throwing an exception.
   */
  public ArrivalOutcome arriveOverLimit(Arriving arriving, long nowMillis) {
    return intake.arrive(arriving, nowMillis, true);
  }

  /**
   * Returns the time of the latest arrival so far in epoch milliseconds; Long.MIN_VALUE before the
   * first.
   */
  public long lastArrivalMillis() {
    return intake.lastArrivalMillis();
  }

  /**
   * Gives up the labels whose events have not come within the time of the settings; at most {@link
   * EarlyLabels#LOST_MAX} until {@link #takeLostLabels} is called.
   *
   * @param nowMillis epoch milliseconds
   */
  public void giveUpLabels(long nowMillis) {
    earlyLabels.giveUp(nowMillis);
  }

  /**
   * Returns the labels without events that were given up since the last call: these labels have
   * waited too long, or other samples needed their space. They are not stored anywhere else.
   */
  public List<LostLabel> takeLostLabels() {
    return earlyLabels.takeLost();
  }

  /**
   * Gives the default label of the settings to the event that has waited longest for its own, if it
   * has waited long enough. Its sample then waits for its first training.
   *
   * @param nowMillis epoch milliseconds; a clock that went back counts as standing still
   * @param all whether to give the label without further waiting, because no more labels come
   * @return the outcome; null if no event is due
   */
  public @Nullable ArrivalOutcome giveDefaultLabel(long nowMillis, boolean all) {
    return intake.giveDefaultLabel(nowMillis, all);
  }

  /**
   * Delays default labels after a restart, so that labels that were sent while no learner ran are
   * read first.
   *
   * @param stoppedMillis time for which no learner ran
   */
  public void resumed(long stoppedMillis, long nowMillis) {
    awaited.resumed(stoppedMillis, nowMillis);
  }

  /**
   * Takes the label of a sample back: the sample does not train any more until another event with
   * its id brings a label. A sample that trains right now leaves when its training session ends.
   *
   * @param eventId the event's own id
   * @param nowMillis epoch milliseconds; a clock that went back counts as standing still
   */
  public Retraction retract(String eventId, long nowMillis) {
    return intake.retract(eventId, nowMillis);
  }

  /**
   * Records the prequential loss of a new sample, for the comparison with its loss after training.
   * The loss is on the heap only; after a restart the trainer measures the missing losses again.
   */
  public void scored(long sampleId, float loss) {
    if (!Float.isFinite(loss)) {
      return;
    }
    evaluator.scored(loss);
    selector.scored(loss);
    int slot = index.slotOf(sampleId);
    if (slot != SampleIndex.ABSENT && index.stage(slot) == LifeStage.NEWBORN) {
      index.loss(slot, loss);
    }
  }

  /** Returns a live view of the samples that wait for their first training. */
  public WaitingSamples waiting() {
    return waiting;
  }

  /** Returns a live view of the stored samples. */
  public StoredSamples samples() {
    return samples;
  }

  /** Returns numbers that show how full the store is. */
  public StoreUsage usage() {
    return new StoreUsage(
        new StageCounts(
            index.count(LifeStage.NEWBORN),
            index.count(LifeStage.MATURE),
            index.count(LifeStage.PRESERVE),
            index.count(LifeStage.DISCARD)),
        index.size(),
        index.bytes(),
        intake.evicted(),
        unlabeled.expired(),
        index.labelsOnly());
  }

  /**
   * Returns whether a new sample does not fit, because all stored samples wait for training or
   * train now.
   */
  public boolean full(int payloadBytes) {
    return eviction.full(payloadBytes);
  }

  /**
   * Returns whether the samples that wait for training or train now take more than seven eighths of
   * a limit.
   */
  public boolean nearlyFull() {
    return eviction.nearlyFull();
  }

  /**
   * Chooses an update's samples: the new samples that have waited longest, and trained samples to
   * replay. Changes nothing.
   *
   * @param newSamples number of waiting samples to choose, from 1 to all
   */
  public Selection select(long updateNumber, int newSamples) {
    if (newSamples < 1 || newSamples > queue.size()) {
      throw new IllegalArgumentException(
          "update %d asks for %d new samples, but only %d wait"
              .formatted(updateNumber, newSamples, queue.size()));
    }
    long[] newIds = queue.oldest(newSamples);
    return new Selection(updateNumber, newIds, selector.replayed(updateNumber), passedOver(newIds));
  }

  /**
   * Returns the new samples that are not trained, ascending: samples of weight 0, and samples that
   * the selection policy passes over; but at least one new sample is trained.
   */
  private long[] passedOver(long[] newIds) {
    long[] weightless =
        Arrays.stream(newIds).filter(id -> index.weightless(index.require(id))).toArray();
    long[] known = selector.passedOver(newIds);
    if (weightless.length == 0) {
      return known;
    }
    long[] passed =
        LongStream.concat(Arrays.stream(weightless), Arrays.stream(known))
            .sorted()
            .distinct()
            .toArray();
    return passed.length < newIds.length ? passed : without(passed, known, weightless);
  }

  /**
   * Returns samples without one of them. The removed sample is not weightless, if there is such a
   * sample.
   */
  private static long[] without(long[] passed, long[] known, long[] weightless) {
    long kept =
        Arrays.stream(known)
            .filter(id -> Arrays.binarySearch(weightless, id) < 0)
            .findFirst()
            .orElse(passed[passed.length - 1]);
    return Arrays.stream(passed).filter(id -> id != kept).toArray();
  }

  /**
   * Chooses only new samples for an update. All chosen samples are trained, and no earlier sample
   * is replayed.
   */
  public Selection selectNew(long updateNumber, int newSamples) {
    Selection chosen = select(updateNumber, newSamples);
    return new Selection(updateNumber, chosen.newIds(), new long[0]);
  }

  /**
   * Returns the ids of the samples that an update would replay if it were selected now, ascending.
   */
  public long[] upcoming(long updateNumber) {
    return selector.replayed(updateNumber);
  }

  /**
   * Begins the training of the selected samples. The caller must remember the selection and begin
   * it again after a restart. A session that is still open is abandoned first.
   *
   * @throws IllegalStateException if a sample of the selection is not stored
   */
  public TrainingSession begin(Selection selection) {
    if (session != null) {
      session.close();
    }
    session = new TrainingSession(selection, sessionParts);
    return session;
  }

  /**
   * Gives up all samples with a given content that wait for their first training: their stage
   * becomes Discard.
   *
   * @return number of these samples
   */
  public int quarantine(ContentHash content) {
    int youngest = index.slotOf(content);
    if (youngest == SampleIndex.ABSENT || !index.waits(youngest)) {
      return 0;
    }
    long[] ids = queue.all(id -> index.holds(index.require(id), content));
    queue.removeAll(ids);
    TrainingSession.quarantine(ids, sessionParts);
    return ids.length;
  }

  /**
   * Gives up trained samples because the model that trained on them was given up: they become
   * Discard and do not train again. A sample that has arrived again continues to wait, and a sample
   * in training does not change.
   *
   * @param sampleIds ids in any order; samples that are not stored any more are skipped
   * @return number of samples given up
   */
  public int giveUp(long[] sampleIds) {
    long[] ids =
        Arrays.stream(sampleIds)
            .filter(index::holds)
            .filter(id -> index.stage(index.require(id)) != LifeStage.NEWBORN)
            .filter(id -> !index.inTraining(index.require(id)))
            .sorted()
            .distinct()
            .toArray();
    MetadataBatch changed = new MetadataBatch(ids.length);
    for (long id : ids) {
      changed.put(id, index.metadata(index.require(id)).givenUp());
    }
    index.replaceAll(changed);
    library.write(changed);
    return ids.length;
  }

  /**
   * Returns the number of samples visited since the start in order to choose, age and evict
   * samples; tests use this number to check that the work is bounded.
   */
  long visited() {
    return index.visited();
  }

  /** Returns the part of the controller's state that is not stored with the samples. */
  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putLong(1, intake.nextId())
        .putLong(2, intake.evicted())
        .putLong(3, unlabeled.expired())
        .putBytes(4, evaluator.snapshot())
        .putText(5, settings.replay().policy().name())
        .putBytes(6, selector.snapshot())
        .bytes();
  }

  /**
   * Restores the state of a {@link #snapshot()}; {@link #rebuild} must follow. If another selection
   * policy wrote the policy's part of the state, this part is ignored, and the policy of the
   * settings begins without state.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a state of
   *     this class
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    intake.restore(in.getLong(1), in.getLong(2));
    unlabeled.restore(in.getLong(3));
    evaluator.restore(in.getBytes(4));
    if (in.getText(5).equals(settings.replay().policy().name())) {
      selector.restore(in.getBytes(6));
    }
  }
}
