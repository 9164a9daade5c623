package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;

/**
 * Keeps every stored sample's metadata on the heap in primitive columns; finds samples by id, by
 * content, by the event's own id, and by their positions in {@link SlotOrder orders}. There is no
 * method that visits all samples: the work for an event or an update is O(log n) for each sample
 * that is concerned. Rebuilt from the store after a restart. Confined to one thread.
 *
 * <p>{@link #heapBytesFor} returns the heap bytes. Columns and orders grow in pages and are never
 * copied.
 */
public final class SampleIndex {
  /** The slot number that means "not stored". */
  public static final int ABSENT = SlotTable.ABSENT;

  /** Largest number of samples in an index. */
  public static final int MOST_SAMPLES = SlotTable.MOST;

  private final SlotTable byId = SlotTable.ofNumbers(this::id);
  private final ContentGroups byContent = new ContentGroups(this::page);
  private final SlotTable byEventId = SlotTable.ofHashes(slot -> page(slot).idHash[at(slot)]);

  private SlotFields[] pages = {};
  private int pageCount;
  private int used;
  private int free = ABSENT;

  private SlotOrder[] orders = {};
  private int[] groupsBefore = {};
  private long[] keysBefore = {};

  private final int[] stageCounts = new int[4];
  private int size;
  private long bytes;
  private int unlabeled;
  private int labelsOnly;
  private int locked;
  private long lockedBytes;

  private SlotFields page(int slot) {
    return pages[slot >>> SlotFields.SHIFT];
  }

  private static int at(int slot) {
    return slot & SlotFields.MASK;
  }

  /**
   * Returns an upper bound of the heap bytes of an index that has grown to a number of samples. The
   * bound is reached if every sample's event has a different id.
   *
   * @param samples number of samples, 0 to {@link #MOST_SAMPLES}
   * @param eventIds whether events have ids
   * @param orders number of orders
   * @param counted number of these orders that count positions
   */
  public static long heapBytesFor(long samples, boolean eventIds, int orders, int counted) {
    int inOrders = (orders - counted) * SlotOrder.bytesPerSlot(false);
    inOrders += counted * SlotOrder.bytesPerSlot(true);
    long slots = (samples / SlotFields.PAGE + 1) * SlotFields.PAGE;
    return slots * (SlotFields.BYTES_PER_SLOT + inOrders)
        + SlotTable.bytesFor(samples) * (eventIds ? 3 : 2);
  }

  /**
   * Creates an order that the index maintains from now on; the order also contains the samples that
   * are already stored.
   */
  public SlotOrder order(SlotOrder.Ranking ranking) {
    return order(ranking, false);
  }

  /** Creates an order with counted positions, in which a sample can be found by its position. */
  public SlotOrder countedOrder(SlotOrder.Ranking ranking) {
    return order(ranking, true);
  }

  private SlotOrder order(SlotOrder.Ranking ranking, boolean counted) {
    SlotOrder order = new SlotOrder(this, ranking, counted);
    order.ensure(pageCount);
    order.build(slotsById());
    orders = Arrays.copyOf(orders, orders.length + 1);
    orders[orders.length - 1] = order;
    groupsBefore = new int[orders.length];
    keysBefore = new long[orders.length];
    return order;
  }

  /** Records the position of a sample in all orders, before its columns change. */
  private void changing(int slot) {
    for (int i = 0; i < orders.length; i++) {
      groupsBefore[i] = orders[i].group(slot);
      keysBefore[i] = groupsBefore[i] < 0 ? 0 : orders[i].key(slot);
    }
  }

  /** Updates the position of a sample in all orders, after its columns have changed. */
  private void changed(int slot) {
    for (int i = 0; i < orders.length; i++) {
      if (leavesPlace(i, slot)) {
        orders[i].add(slot);
      }
    }
  }

  /**
   * Removes a slot whose columns have changed from its old position in an order, unless its
   * position does not change.
   */
  private boolean leavesPlace(int order, int slot) {
    int group = orders[order].group(slot);
    boolean leaves =
        group != groupsBefore[order]
            || (group >= 0 && orders[order].key(slot) != keysBefore[order]);
    if (leaves) {
      orders[order].remove(slot, groupsBefore[order], keysBefore[order]);
    }
    return leaves;
  }

  /**
   * Returns the slot of a sample, or {@link #ABSENT}. Slots stay valid until the sample is removed.
   */
  public int slotOf(long sampleId) {
    return byId.get(sampleId);
  }

  /**
   * Returns the slot of a sample that must be stored.
   *
   * @throws IllegalStateException if the sample is not stored
   */
  public int require(long sampleId) {
    int slot = slotOf(sampleId);
    if (slot == ABSENT) {
      throw new IllegalStateException("sample " + sampleId + " is not stored");
    }
    return slot;
  }

  /** Returns whether a sample is in the index. */
  public boolean holds(long sampleId) {
    return slotOf(sampleId) != ABSENT;
  }

  /** Returns whether a sample waits for its first training and is not in a training. */
  public boolean waits(int slot) {
    return labeled(slot) && stage(slot) == LifeStage.NEWBORN && !inTraining(slot);
  }

  /** Returns the slot of the sample with this content that arrived last, or {@link #ABSENT}. */
  public int slotOf(ContentHash hash) {
    return byContent.first(hash);
  }

  /** Returns whether a sample has this content. */
  public boolean holds(int slot, ContentHash hash) {
    SlotFields page = page(slot);
    return page.hashLow[at(slot)] == hash.low() && page.hashHigh[at(slot)] == hash.high();
  }

  /** Returns the slot of the youngest sample whose event had this id, or {@link #ABSENT}. */
  public int slotOfEvent(long idHash) {
    return idHash == 0 ? ABSENT : byEventId.get(idHash);
  }

  /**
   * Adds a sample that is not in the index yet.
   *
   * @throws IllegalStateException if the index already has {@link #MOST_SAMPLES} samples
   */
  public int add(long sampleId, SampleMetadata metadata) {
    int slot = store(sampleId, metadata);
    for (SlotOrder order : orders) {
      order.add(slot);
    }
    return slot;
  }

  /**
   * Adds a sample while the index is rebuilt, without sorting it into the orders; {@link #loaded}
   * then sorts all samples.
   */
  public void load(long sampleId, SampleMetadata metadata) {
    store(sampleId, metadata);
  }

  /** Sorts all samples into the orders, after the last one was loaded. */
  public void loaded() {
    int[] slots = slotsById();
    for (SlotOrder order : orders) {
      order.build(slots);
    }
  }

  private int[] slotsById() {
    int[] slots = new int[size];
    int count = 0;
    boolean ascend = true;
    for (int slot = 0; slot < used; slot++) {
      if (page(slot).flags[at(slot)] != SlotFields.FREE) {
        ascend &= count == 0 || id(slots[count - 1]) < id(slot);
        slots[count++] = slot;
      }
    }
    if (ascend) {
      return slots;
    }
    long[] ids = Arrays.stream(slots).mapToLong(this::id).sorted().toArray();
    return Arrays.stream(ids).mapToInt(byId::get).toArray();
  }

  private int store(long sampleId, SampleMetadata metadata) {
    int slot = free;
    if (slot == ABSENT) {
      SlotTable.lengthFor(used + 1L);
      slot = used++;
      ensure(slot);
    } else {
      // A free slot contains the number of the next free slot instead of an id.
      free = (int) id(slot);
    }
    SlotFields page = page(slot);
    page.id[at(slot)] = sampleId;
    page.set(at(slot), metadata);
    byId.add(slot);
    size++;
    count(slot, 1);
    byContent.add(slot);
    takeEventId(slot);
    return slot;
  }

  /**
   * Records the event id of a sample. If several samples have the same event id, lookups find the
   * youngest sample, independent of the order in which samples are read.
   */
  private void takeEventId(int slot) {
    long idHash = page(slot).idHash[at(slot)];
    int other = slotOfEvent(idHash);
    if (idHash != 0 && other != slot && (other == ABSENT || id(other) <= id(slot))) {
      if (other != ABSENT) {
        byEventId.remove(other);
      }
      byEventId.add(slot);
    }
  }

  /** Adds a slot's sample to the index's counters (sign 1), or subtracts it (-1). */
  private void count(int slot, int sign) {
    lock(slot, sign);
    bytes += (long) sign * payloadBytes(slot);
    stageCounts[page(slot).stage[at(slot)]] += sign;
    unlabeled += labeled(slot) ? 0 : sign;
    labelsOnly += labelOnly(slot) ? sign : 0;
  }

  /**
   * Adds a slot's sample to the counters of locked samples (sign 1), or subtracts it (-1), if it
   * must not be evicted.
   */
  private void lock(int slot, int sign) {
    if (locked(slot)) {
      locked += sign;
      lockedBytes += (long) sign * payloadBytes(slot);
    }
  }

  /**
   * Returns whether a sample must not be evicted because it is in training, or has a label and was
   * never trained.
   */
  public boolean locked(int slot) {
    boolean untrained = labeled(slot) && page(slot).stage[at(slot)] == LifeStage.NEWBORN.code();
    return untrained || inTraining(slot);
  }

  /** Replaces all metadata of a sample, including content hash and label. */
  public void replace(int slot, SampleMetadata metadata) {
    changing(slot);
    set(slot, metadata);
    changed(slot);
  }

  /**
   * Replaces the metadata of many samples, which is many times faster than calls of {@link
   * #replace}.
   *
   * @throws IllegalStateException if a sample is not stored; in this case nothing has changed
   */
  public void replaceAll(MetadataBatch batch) {
    int[] slots = new int[batch.size()];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = require(batch.id(i));
    }
    int[][] moved = new int[orders.length][slots.length];
    int[] counts = new int[orders.length];
    for (int i = 0; i < slots.length; i++) {
      int slot = slots[i];
      changing(slot);
      set(slot, batch.metadata(i));
      for (int k = 0; k < orders.length; k++) {
        if (leavesPlace(k, slot)) {
          moved[k][counts[k]++] = slot;
        }
      }
    }
    for (int k = 0; k < orders.length; k++) {
      orders[k].addAll(Arrays.copyOf(moved[k], counts[k]));
    }
  }

  private void set(int slot, SampleMetadata metadata) {
    SlotFields page = page(slot);
    SampleIdentity identity = metadata.identity();
    boolean otherContent = !holds(slot, identity.contentHash());
    if (otherContent) {
      byContent.remove(slot);
    }
    if (page.idHash[at(slot)] != 0 && page.idHash[at(slot)] != identity.idHash()) {
      byEventId.remove(slot);
    }
    count(slot, -1);
    page.set(at(slot), metadata);
    count(slot, 1);
    if (otherContent) {
      byContent.add(slot);
    }
    takeEventId(slot);
  }

  public void remove(int slot) {
    for (SlotOrder order : orders) {
      order.remove(slot, order.group(slot), order.key(slot));
    }
    forget(slot);
  }

  private void forget(int slot) {
    SlotFields page = page(slot);
    byId.remove(slot);
    byContent.remove(slot);
    if (page.idHash[at(slot)] != 0) {
      byEventId.remove(slot);
    }
    size--;
    count(slot, -1);
    page.flags[at(slot)] = SlotFields.FREE;
    page.id[at(slot)] = free;
    free = slot;
  }

  private void ensure(int slot) {
    if (slot >>> SlotFields.SHIFT < pageCount) {
      return;
    }
    if (pageCount == pages.length) {
      pages = Arrays.copyOf(pages, Math.max(8, pages.length * 2));
    }
    pages[pageCount++] = new SlotFields();
    for (SlotOrder order : orders) {
      order.ensure(pageCount);
    }
  }

  /** Returns all metadata of a sample, as a record. */
  public SampleMetadata metadata(int slot) {
    return page(slot).get(at(slot));
  }

  public long id(int slot) {
    return page(slot).id[at(slot)];
  }

  /** Returns the high half of the hash of a sample's content. */
  public long contentHashHigh(int slot) {
    return page(slot).hashHigh[at(slot)];
  }

  public LifeStage stage(int slot) {
    return LifeStage.of(page(slot).stage[at(slot)]);
  }

  /** Moves a sample to another stage. */
  public void stage(int slot, LifeStage stage) {
    changing(slot);
    lock(slot, -1);
    stageCounts[page(slot).stage[at(slot)]]--;
    page(slot).stage[at(slot)] = stage.code();
    stageCounts[stage.code()]++;
    lock(slot, 1);
    changed(slot);
  }

  public boolean labeled(int slot) {
    return (page(slot).flags[at(slot)] & SlotFields.LABELED) != 0;
  }

  /** Returns whether the weight of the sample in a slot is 0, so that it is not trained. */
  public boolean weightless(int slot) {
    return (page(slot).flags[at(slot)] & SlotFields.WEIGHTLESS) != 0;
  }

  /** Returns whether a sample is only a label that waits for the features of its event. */
  public boolean labelOnly(int slot) {
    return (page(slot).flags[at(slot)] & SlotFields.LABEL_ONLY) != 0;
  }

  /** Returns whether the sample's event has its own id. */
  public boolean hasEventId(int slot) {
    return page(slot).idHash[at(slot)] != 0;
  }

  /** Returns where the label of a sample came from, or how the sample lost it. */
  public LabelSource source(int slot) {
    return page(slot).source(at(slot));
  }

  public boolean inTraining(int slot) {
    return (page(slot).flags[at(slot)] & SlotFields.IN_TRAINING) != 0;
  }

  /** Marks a sample as part of the running training or not; the mark is on the heap only. */
  public void inTraining(int slot, boolean training) {
    lock(slot, -1);
    if (training) {
      page(slot).flags[at(slot)] |= SlotFields.IN_TRAINING;
    } else {
      page(slot).flags[at(slot)] &= ~SlotFields.IN_TRAINING;
    }
    lock(slot, 1);
  }

  /** Returns how often the content of a sample has arrived while samples of it were stored. */
  public int arrivals(int slot) {
    return byContent.arrivals(slot);
  }

  /** Returns how often a content has arrived while samples of it were stored; 0 if none is. */
  public int arrivals(ContentHash hash) {
    int slot = slotOf(hash);
    return slot == ABSENT ? 0 : page(slot).frequency[at(slot)];
  }

  /**
   * Returns the ids of the samples that have inherited the frequency of their content since the
   * last call, because another sample with the content was removed. Some of them are possibly
   * removed by now.
   */
  long[] takeHeirs() {
    return byContent.takeHeirs();
  }

  public float score(int slot) {
    return page(slot).score[at(slot)];
  }

  public float loss(int slot) {
    return page(slot).loss[at(slot)];
  }

  public void loss(int slot, float loss) {
    changing(slot);
    page(slot).loss[at(slot)] = loss;
    changed(slot);
  }

  public float contribution(int slot) {
    return page(slot).contribution[at(slot)];
  }

  public float gradientNorm(int slot) {
    return page(slot).gradientNorm[at(slot)];
  }

  public float reducibleLoss(int slot) {
    return page(slot).reducibleLoss[at(slot)];
  }

  public float label(int slot) {
    return page(slot).label[at(slot)];
  }

  public int seenInUpdate(int slot) {
    return page(slot).seenInUpdate[at(slot)];
  }

  public int evaluations(int slot) {
    return page(slot).evaluations[at(slot)];
  }

  public long arrivedAtMillis(int slot) {
    return page(slot).arrivedAtMillis[at(slot)];
  }

  public void arrivedAtMillis(int slot, long millis) {
    page(slot).arrivedAtMillis[at(slot)] = millis;
  }

  public int payloadBytes(int slot) {
    return page(slot).payloadBytes[at(slot)];
  }

  public int size() {
    return size;
  }

  /** Returns the payload bytes of all samples. */
  public long bytes() {
    return bytes;
  }

  /** Returns the number of samples that cannot be trained: they lack the label or the features. */
  public int unlabeled() {
    return unlabeled;
  }

  /** Returns the number of labels that wait for the features of their events. */
  public int labelsOnly() {
    return labelsOnly;
  }

  /** Returns the number of samples that must not be evicted. */
  public int locked() {
    return locked;
  }

  /** Returns the payload bytes of the {@link #locked()} samples. */
  public long lockedBytes() {
    return lockedBytes;
  }

  public int count(LifeStage stage) {
    return stageCounts[stage.code()];
  }

  /** Returns how many samples the orders have visited since the start. */
  public long visited() {
    long visited = 0;
    for (SlotOrder order : orders) {
      visited += order.visited();
    }
    return visited;
  }

  /** Returns the present heap bytes of the index. */
  public long heapBytes() {
    int perSlot = SlotFields.BYTES_PER_SLOT;
    for (SlotOrder order : orders) {
      perSlot += order.bytesPerSlot();
    }
    return (long) pageCount * SlotFields.PAGE * perSlot
        + byId.bytes()
        + byContent.bytes()
        + byEventId.bytes();
  }
}
