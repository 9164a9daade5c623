package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;

/**
 * Every stored sample's metadata on the heap in primitive arrays, found by id, by content and by
 * the event's own id. Rebuilt from the store after a restart. Confined to one thread.
 *
 * <p>Contents are found by the low half of their hash and compared by both; equal low halves of
 * different contents are chained by slot.
 */
public final class SampleIndex {
  /** No such sample. */
  public static final int ABSENT = LongIntTable.ABSENT;

  private final LongIntTable byId = new LongIntTable();
  private final LongIntTable byContent = new LongIntTable();
  private final LongIntTable byEventId = new LongIntTable();

  private long[] ids = new long[64];
  private long[] hashHigh = new long[64];
  private long[] hashLow = new long[64];
  private int[] nextContent = new int[64];
  private SlotFields fields = new SlotFields(64);
  private int used;
  private int free = ABSENT;

  private final int[] stageCounts = new int[4];
  private int size;
  private long bytes;
  private int unlabeled;
  private int locked;
  private long lockedBytes;

  /** Slot of a sample, or {@link #ABSENT}. Slots stay valid until the sample is removed. */
  public int slotOf(long sampleId) {
    return byId.get(sampleId);
  }

  /** Slot of the sample with this content, or {@link #ABSENT}. */
  public int slotOf(ContentHash hash) {
    int slot = byContent.get(hash.low());
    while (slot != ABSENT && hashHigh[slot] != hash.high()) {
      slot = nextContent[slot];
    }
    return slot;
  }

  /** Slot of the youngest sample whose event had this id, or {@link #ABSENT}. */
  public int slotOfEvent(long idHash) {
    return idHash == 0 ? ABSENT : byEventId.get(idHash);
  }

  /** Slot of the unlabelled sample whose event had this id, or {@link #ABSENT}. */
  public int slotWaitingForLabel(long idHash) {
    int slot = slotOfEvent(idHash);
    return slot == ABSENT || labeled(slot) ? ABSENT : slot;
  }

  /** Adds a sample that is not there. */
  public int add(long sampleId, SampleMetadata metadata) {
    int slot = free;
    if (slot == ABSENT) {
      slot = used++;
      ensure(slot);
    } else {
      free = nextContent[slot];
    }
    ids[slot] = sampleId;
    byId.put(sampleId, slot);
    link(slot, metadata.contentHash());
    fields.set(slot, metadata);
    lock(slot, 1);
    size++;
    bytes += metadata.payloadBytes();
    stageCounts[metadata.stage().code()]++;
    if (!metadata.labeled()) {
      unlabeled++;
    }
    int other = slotOfEvent(metadata.idHash());
    // Of several events under one id the youngest counts, whatever the reading order.
    if (metadata.idHash() != 0 && (other == ABSENT || ids[other] <= sampleId)) {
      byEventId.put(metadata.idHash(), slot);
    }
    return slot;
  }

  /** Books a slot that starts (1) or ceases (-1) to be one that may not go. */
  private void lock(int slot, int sign) {
    if (locked(slot)) {
      locked += sign;
      lockedBytes += (long) sign * fields.payloadBytes[slot];
    }
  }

  /** Whether a sample must stay: it is in training, or has a label and was never trained. */
  public boolean locked(int slot) {
    boolean untrained = labeled(slot) && fields.stage[slot] == LifeStage.NEWBORN.code();
    return untrained || inTraining(slot);
  }

  private void link(int slot, ContentHash hash) {
    hashHigh[slot] = hash.high();
    hashLow[slot] = hash.low();
    nextContent[slot] = byContent.get(hash.low());
    byContent.put(hash.low(), slot);
  }

  private void unlink(int slot) {
    int first = byContent.get(hashLow[slot]);
    if (first == slot) {
      if (nextContent[slot] == ABSENT) {
        byContent.remove(hashLow[slot]);
      } else {
        byContent.put(hashLow[slot], nextContent[slot]);
      }
      return;
    }
    while (nextContent[first] != slot) {
      first = nextContent[first];
    }
    nextContent[first] = nextContent[slot];
  }

  /** Replaces everything known of a sample, content hash and label included. */
  public void replace(int slot, SampleMetadata metadata) {
    long id = ids[slot];
    remove(slot);
    int again = add(id, metadata);
    if (again != slot) {
      throw new IllegalStateException("slot " + slot + " moved to " + again);
    }
  }

  public void remove(int slot) {
    byId.remove(ids[slot]);
    unlink(slot);
    lock(slot, -1);
    size--;
    bytes -= fields.payloadBytes[slot];
    stageCounts[fields.stage[slot]]--;
    if (!labeled(slot)) {
      unlabeled--;
    }
    if (fields.idHash[slot] != 0 && byEventId.get(fields.idHash[slot]) == slot) {
      byEventId.remove(fields.idHash[slot]);
    }
    fields.flags[slot] = SlotFields.FREE;
    nextContent[slot] = free;
    free = slot;
  }

  private void ensure(int slot) {
    if (slot < ids.length) {
      return;
    }
    int length = ids.length * 2;
    ids = Arrays.copyOf(ids, length);
    hashHigh = Arrays.copyOf(hashHigh, length);
    hashLow = Arrays.copyOf(hashLow, length);
    nextContent = Arrays.copyOf(nextContent, length);
    fields = fields.grown(length);
  }

  /** All that is known, as a record. */
  public SampleMetadata metadata(int slot) {
    return fields.get(slot, new ContentHash(hashHigh[slot], hashLow[slot]));
  }

  public long id(int slot) {
    return ids[slot];
  }

  public LifeStage stage(int slot) {
    return LifeStage.of(fields.stage[slot]);
  }

  /** Moves a sample to another stage. */
  public void stage(int slot, LifeStage stage) {
    lock(slot, -1);
    stageCounts[fields.stage[slot]]--;
    fields.stage[slot] = stage.code();
    stageCounts[stage.code()]++;
    lock(slot, 1);
  }

  public boolean labeled(int slot) {
    return (fields.flags[slot] & SlotFields.LABELED) != 0;
  }

  public boolean inTraining(int slot) {
    return (fields.flags[slot] & SlotFields.IN_TRAINING) != 0;
  }

  /** Marks a sample as part of the running training; on the heap only. */
  public void inTraining(int slot, boolean training) {
    lock(slot, -1);
    if (training) {
      fields.flags[slot] |= SlotFields.IN_TRAINING;
    } else {
      fields.flags[slot] &= ~SlotFields.IN_TRAINING;
    }
    lock(slot, 1);
  }

  public int frequency(int slot) {
    return fields.frequency[slot];
  }

  /** Counts another arrival; saturates. */
  public void arrivedAgain(int slot) {
    if (fields.frequency[slot] < Integer.MAX_VALUE) {
      fields.frequency[slot]++;
    }
  }

  public float score(int slot) {
    return fields.score[slot];
  }

  public float loss(int slot) {
    return fields.loss[slot];
  }

  public void loss(int slot, float loss) {
    fields.loss[slot] = loss;
  }

  public float contribution(int slot) {
    return fields.contribution[slot];
  }

  public float gradientNorm(int slot) {
    return fields.gradientNorm[slot];
  }

  public float reducibleLoss(int slot) {
    return fields.reducibleLoss[slot];
  }

  public float label(int slot) {
    return fields.label[slot];
  }

  public int seenInUpdate(int slot) {
    return fields.seenInUpdate[slot];
  }

  public void seenInUpdate(int slot, long updateNumber) {
    fields.seenInUpdate[slot] = (int) updateNumber;
  }

  public int evaluations(int slot) {
    return fields.evaluations[slot];
  }

  public long arrivedAtMillis(int slot) {
    return fields.arrivedAtMillis[slot];
  }

  public void arrivedAtMillis(int slot, long millis) {
    fields.arrivedAtMillis[slot] = millis;
  }

  /** One past the highest slot ever used; slots below may be free. */
  public int slots() {
    return used;
  }

  public boolean occupied(int slot) {
    return fields.flags[slot] != SlotFields.FREE;
  }

  public int size() {
    return size;
  }

  /** Payload bytes of all samples. */
  public long bytes() {
    return bytes;
  }

  public int unlabeled() {
    return unlabeled;
  }

  /** How many samples must stay. */
  public int locked() {
    return locked;
  }

  /** Payload bytes of {@link #locked()} samples. */
  public long lockedBytes() {
    return lockedBytes;
  }

  public int count(LifeStage stage) {
    return stageCounts[stage.code()];
  }
}
