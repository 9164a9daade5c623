package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.state.UpdateRecordState;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An update that was started and whose model is not accepted yet. It is kept in state, so that a
 * restored learner trains exactly its samples again.
 *
 * @param arrivedAtMillis arrival time of each new sample, in the order of {@code
 *     selection.newIds()}, by the learner's clock
 * @param withdrawnIds samples of the selection whose labels were taken back since, ascending
 * @param mixture file of the mixture that becomes part of the update's model; empty if there is
 *     none
 */
public record FiredUpdate(
    Selection selection,
    long[] arrivedAtMillis,
    UpdateRecord.Firing firing,
    long[] withdrawnIds,
    byte[] mixture) {
  private static final StateFormat FORMAT = StateFormat.first("fired update");
  private static final long[] NONE = {};

  public FiredUpdate(
      Selection selection, long[] arrivedAtMillis, UpdateRecord.Firing firing, byte[] mixture) {
    this(selection, arrivedAtMillis, firing, NONE, mixture);
  }

  /** Returns the record of this update before its training. */
  UpdateRecord toRecord() {
    return UpdateRecord.fired(selection.updateNumber(), firing);
  }

  /** Returns whether this update trains a sample whose label was not taken back. */
  public boolean holds(long id) {
    return (Arrays.binarySearch(selection.newIds(), id) >= 0
            || Arrays.binarySearch(selection.replayedIds(), id) >= 0)
        && Arrays.binarySearch(withdrawnIds, id) < 0;
  }

  /** Returns whether the label of a sample was taken back while this update trains it. */
  boolean withdrew(long id) {
    return Arrays.binarySearch(withdrawnIds, id) >= 0;
  }

  /** Returns this update without a sample whose label was taken back. */
  public FiredUpdate withdrawing(long id) {
    long[] ids = Arrays.copyOf(withdrawnIds, withdrawnIds.length + 1);
    ids[withdrawnIds.length] = id;
    Arrays.sort(ids);
    return new FiredUpdate(selection, arrivedAtMillis, firing, ids, mixture);
  }

  /**
   * Returns this update with only the given new samples, and without samples whose labels were
   * taken back. If the selection passes over all remaining samples, the update trains one of them.
   */
  public FiredUpdate with(long[] waitingIds) {
    Set<Long> gone = Arrays.stream(selection.newIds()).boxed().collect(Collectors.toSet());
    Arrays.stream(waitingIds).forEach(gone::remove);
    Arrays.stream(withdrawnIds).forEach(gone::add);
    if (gone.isEmpty()) {
      return this;
    }
    long[] newIds = selection.newIds();
    long[] arrived =
        IntStream.range(0, newIds.length)
            .filter(i -> !gone.contains(newIds[i]))
            .mapToLong(i -> arrivedAtMillis[i])
            .toArray();
    Selection left = selection.without(gone).trainingOne();
    UpdateRecord.Firing smaller =
        new UpdateRecord.Firing(
            firing.atMillis(), arrived.length, left.replayedIds().length, firing.grounds());
    return new FiredUpdate(left, arrived, smaller, mixture);
  }

  /** Returns how many new samples lost their labels during the training. */
  public int withdrawnNew() {
    return (int)
        Arrays.stream(selection.newIds())
            .filter(id -> Arrays.binarySearch(withdrawnIds, id) >= 0)
            .count();
  }

  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putLong(1, selection.updateNumber())
        .putLongs(2, selection.newIds())
        .putLongs(3, selection.replayedIds())
        .putLongs(4, selection.passedIds())
        .putLongs(5, arrivedAtMillis)
        .putLongs(6, withdrawnIds)
        .putBytes(7, UpdateRecordState.snapshot(firing))
        .putBytes(8, mixture)
        .bytes();
  }

  /**
   * Decodes the update in a {@link #snapshot()}.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not such a
   *     snapshot
   */
  public static FiredUpdate restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    return new FiredUpdate(
        new Selection(in.getLong(1), in.getLongs(2), in.getLongs(3), in.getLongs(4)),
        in.getLongs(5),
        UpdateRecordState.restoreFiring(in.getBytes(7)),
        in.getLongs(6),
        in.getBytes(8));
  }
}
