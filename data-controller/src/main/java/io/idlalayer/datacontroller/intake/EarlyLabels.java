package io.idlalayer.datacontroller.intake;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLibrary;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import java.util.ArrayList;
import java.util.List;

/**
 * The labels that came before the features of their events, in the order in which they came. A
 * label that has waited too long is given up. Early labels are stored as samples without features,
 * so the {@link UnlabeledQueue} bounds their number, and they survive restarts like samples.
 * Confined to one thread.
 */
public final class EarlyLabels {
  /**
   * If this number of labels was given up, no more labels are given up until {@link #takeLost} is
   * called.
   */
  public static final int LOST_MAX = 1_024;

  /**
   * Ids of labels whose events came are removed when they outnumber the ids of waiting labels by
   * this number.
   */
  private static final int SLACK = 1_000;

  private final long waitMillis;
  private final SampleIndex index;
  private final SampleLibrary library;
  private final WaitingQueue ids = new WaitingQueue();
  private final SampleCodec codec = new SampleCodec();
  private List<LostLabel> lost = new ArrayList<>();

  /**
   * @param waitMillis longest time that a label waits
   */
  public EarlyLabels(long waitMillis, SampleIndex index, SampleLibrary library) {
    this.waitMillis = waitMillis;
    this.index = index;
    this.library = library;
  }

  /** Adds a label that was stored. */
  public void add(long id) {
    ids.add(id);
    if (ids.size() > 2 * index.labelsOnly() + SLACK) {
      ids.retain(this::waits);
    }
  }

  /** Sorts the queue by the time at which the labels came. */
  public void sort(WaitingQueue.Order order) {
    ids.sort(order);
  }

  /** Returns the label of a stored sample whose metadata says that it has no features. */
  Sample label(long id) {
    return label(id, read(id));
  }

  private Sample label(long id, EarlyLabel stored) {
    try {
      return codec.decode(stored.sample());
    } catch (MalformedSampleException damaged) {
      throw new IllegalStateException("stored label " + id + " is damaged", damaged);
    }
  }

  private EarlyLabel read(long id) {
    return EarlyLabel.decode(library.payloads(new long[] {id}).get(0));
  }

  /** Gives up the labels that have waited too long, unless {@link #crowded} returns true. */
  public void giveUp(long nowMillis) {
    while (ids.size() > 0 && !crowded()) {
      long id = ids.id(0);
      boolean waits = waits(id);
      if (waits && nowMillis - index.arrivedAtMillis(index.require(id)) < waitMillis) {
        return;
      }
      ids.removeAll(new long[] {id});
      if (waits) {
        lost(LostLabel.Cause.WAITED, id);
        library.delete(id);
      }
    }
  }

  /** Returns whether {@link #LOST_MAX} given-up labels wait to be taken by {@link #takeLost}. */
  boolean crowded() {
    return lost.size() >= LOST_MAX;
  }

  /**
   * Remembers the labels without features among stored samples that are about to be deleted.
   * Returns their number.
   */
  int lost(LostLabel.Cause cause, long... sampleIds) {
    int before = lost.size();
    for (long id : sampleIds) {
      if (waits(id)) {
        EarlyLabel stored = read(id);
        lost.add(new LostLabel(label(id, stored), stored.record(), cause));
      }
    }
    return lost.size() - before;
  }

  /** Returns the labels that were given up since the last call. */
  public List<LostLabel> takeLost() {
    List<LostLabel> taken = lost;
    lost = new ArrayList<>();
    return taken;
  }

  private boolean waits(long id) {
    int slot = index.slotOf(id);
    return slot != SampleIndex.ABSENT && index.labelOnly(slot);
  }
}
