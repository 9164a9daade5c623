package io.idlalayer.jobs.learner.state;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.SortedMap;

/**
 * What came in, what became of it, and how far the input is read. Written before each checkpoint.
 * Confined to one thread.
 */
public final class EventCounters {
  private static final StateFormat FORMAT = StateFormat.first("event counters");

  private long received;
  private long malformed;
  private long unlabeled;
  private long duplicates;
  private long revived;
  private long joined;
  private long quarantined;
  private long trainedNewSamples;
  private long updates;
  private long modelVersion;
  private long passedOver;
  private long heldModels;
  private long rollbacks;
  private boolean finished;

  private InputPositions inputs = new InputPositions();

  /** Counts an event of the input. */
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

  /** Events that brought no label, or whose label was taken back before it was trained. */
  public void unlabeled(int events) {
    unlabeled += events;
  }

  public void revived() {
    revived++;
  }

  public void labelJoined() {
    joined++;
  }

  /** New samples were given up. */
  public void quarantined(int samples) {
    quarantined += samples;
  }

  /** An update was accepted. */
  public void accepted(Selection trained) {
    updates = trained.updateNumber();
    trainedNewSamples += trained.newIds().length;
    passedOver += trained.passedIds().length;
  }

  /** A model was published. */
  public void published(long version) {
    modelVersion = version;
  }

  /** A model was not published because it is worse than another, or looks so. */
  public void heldModel() {
    heldModels++;
  }

  /** An older version serves again. */
  public void rolledBack() {
    rollbacks++;
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

  /** Accepted updates along the lineage. */
  public long updates() {
    return updates;
  }

  /** Samples trained for the first time, along the lineage. */
  public long trainedNewSamples() {
    return trainedNewSamples;
  }

  /** The newest published version, 0 before the first. */
  public long modelVersion() {
    return modelVersion;
  }

  /** The lowest number that the next version may have. */
  public long nextVersion() {
    return modelVersion + 1;
  }

  /** Notes how far an input partition is read, by a record that is no event. */
  public void passed(InputPosition at) {
    inputs.read(at.topic(), at.partition(), at.offset());
  }

  /** Takes an input partition back to where its log was cut. */
  public void cut(InputPosition end) {
    inputs.cut(end.topic(), end.partition(), end.offset());
  }

  /** Whether the end was reached and announced. */
  public boolean finished() {
    return finished;
  }

  public void finish() {
    finished = true;
  }

  public SortedMap<String, Long> inputOffsets() {
    return inputs.next();
  }

  public Status.Samples samples(long stored, long storedBytes, long evicted) {
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
        passedOver);
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
    return inputs.put(out, 15).bytes();
  }

  /**
   * Takes {@link #snapshot()} back.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is no such snapshot
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
  }
}
