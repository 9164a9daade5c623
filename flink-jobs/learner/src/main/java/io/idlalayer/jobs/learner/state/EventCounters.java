package io.idlalayer.jobs.learner.state;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.SortedMap;

/**
 * Counts events by their outcome, and remembers how far the input was read. The counters are
 * written before each checkpoint. Confined to one thread.
 */
public final class EventCounters {
  private static final StateFormat FORMAT = StateFormat.first("event counters");

  private long received;
  private long malformed;
  private long unlabeled;
  private long duplicates;
  private long revived;
  private long joined;
  private long merged;
  private long changed;
  private long labelsGivenUp;
  private long labelsDefaulted;
  private long defaultsCorrected;
  private long quarantined;
  private long trainedNewSamples;
  private long updates;
  private long modelVersion;
  private long passedOver;
  private long heldModels;
  private long rollbacks;
  private boolean finished;

  private InputPositions inputs = new InputPositions();

  /** Counts an event of the input topic. */
  public void received(InputPosition at) {
    passed(at);
    received++;
    finished = false;
  }

  public void malformed() {
    malformed++;
  }

  public void duplicate() {
    duplicates++;
  }

  /** Counts events that have no label, or whose label was taken back before they were trained. */
  public void unlabeled(int events) {
    unlabeled += events;
  }

  public void revived() {
    revived++;
  }

  public void labelJoined() {
    joined++;
  }

  /** Counts an event that became part of a stored sample, and not a new one. */
  public void merged() {
    merged++;
  }

  /** Counts an event that replaced a value or a label of a stored sample. */
  public void changed() {
    changed++;
  }

  /** Counts labels whose events did not come. */
  public void labelsGivenUp(int labels) {
    labelsGivenUp += labels;
  }

  /**
   * Counts an event that got the default label; until now it counted as an event without a label.
   */
  public void labelDefaulted() {
    unlabeled--;
    labelsDefaulted++;
  }

  /** Counts an event whose default label was replaced by another one. */
  public void defaultCorrected() {
    defaultsCorrected++;
  }

  /** Counts new samples that were given up because their trainings failed. */
  public void quarantined(int samples) {
    quarantined += samples;
  }

  /** Counts an accepted update. */
  public void accepted(Selection trained) {
    updates = trained.updateNumber();
    trainedNewSamples += trained.newIds().length;
    passedOver += trained.passedIds().length;
  }

  /** Counts a published model. */
  public void published(long version) {
    modelVersion = version;
  }

  /** Counts a model that was not published because it is worse than another, or looks worse. */
  public void heldModel() {
    heldModels++;
  }

  /** Counts a rollback to an older version. */
  public void rolledBack() {
    rollbacks++;
  }

  /** Returns the number of new samples that were given up. */
  public long quarantinedSamples() {
    return quarantined;
  }

  public long heldModels() {
    return heldModels;
  }

  public long rollbacks() {
    return rollbacks;
  }

  public long receivedCount() {
    return received;
  }

  /** Returns the number of accepted updates of the lineage. */
  public long updates() {
    return updates;
  }

  /** Returns the number of samples of the lineage that were trained for the first time. */
  public long trainedNewSamples() {
    return trainedNewSamples;
  }

  /** Returns the newest published version; 0 before the first version. */
  public long modelVersion() {
    return modelVersion;
  }

  /** Returns the lowest number that the next version can have. */
  public long nextVersion() {
    return modelVersion + 1;
  }

  /** Records how far an input partition was read, if the position of a record is known. */
  public void passed(InputPosition at) {
    if (at.known()) {
      inputs.read(at.topic(), at.partition(), at.offset());
    }
  }

  /** Sets an input partition back to the offset where its log was cut. */
  public void cut(InputPosition end) {
    inputs.cut(end.topic(), end.partition(), end.offset());
  }

  /** Returns whether the end of the input was reached and announced. */
  public boolean finished() {
    return finished;
  }

  public void finish() {
    finished = true;
  }

  public SortedMap<String, Long> inputOffsets() {
    return inputs.next();
  }

  /**
   * Returns the counts of events by fate, with the numbers of the store.
   *
   * @param labelsWaiting stored labels whose events have not come
   */
  public Status.Samples samples(long stored, long storedBytes, long evicted, long labelsWaiting) {
    return new Status.Samples(
        received,
        malformed,
        unlabeled,
        duplicates,
        stored,
        storedBytes,
        revived,
        joined,
        evicted,
        quarantined,
        passedOver,
        merged,
        changed,
        labelsWaiting,
        labelsGivenUp,
        labelsDefaulted,
        defaultsCorrected);
  }

  public byte[] snapshot() {
    StateWriter out =
        FORMAT
            .writer()
            .putLong(1, received)
            .putLong(2, malformed)
            .putLong(3, unlabeled)
            .putLong(4, duplicates)
            .putLong(5, revived)
            .putLong(6, joined)
            .putLong(7, quarantined)
            .putLong(8, trainedNewSamples)
            .putLong(9, updates)
            .putLong(10, modelVersion)
            .putLong(11, passedOver)
            .putBoolean(12, finished)
            .putLong(13, heldModels)
            .putLong(14, rollbacks);
    return inputs
        .put(out, 15)
        .putLong(17, merged)
        .putLong(18, changed)
        .putLong(19, labelsGivenUp)
        .putLong(20, labelsDefaulted)
        .putLong(21, defaultsCorrected)
        .bytes();
  }

  /**
   * Restores the counts in a {@link #snapshot()}.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    received = in.getLong(1);
    malformed = in.getLong(2);
    unlabeled = in.getLong(3);
    duplicates = in.getLong(4);
    revived = in.getLong(5);
    joined = in.getLong(6);
    quarantined = in.getLong(7);
    trainedNewSamples = in.getLong(8);
    updates = in.getLong(9);
    modelVersion = in.getLong(10);
    passedOver = in.getLong(11);
    finished = in.getBoolean(12);
    heldModels = in.getLong(13);
    rollbacks = in.getLong(14);
    inputs = InputPositions.get(in, 15);
    merged = in.getLong(17);
    changed = in.getLong(18);
    labelsGivenUp = in.getLong(19);
    labelsDefaulted = in.getLong(20);
    defaultsCorrected = in.getLong(21);
  }
}
