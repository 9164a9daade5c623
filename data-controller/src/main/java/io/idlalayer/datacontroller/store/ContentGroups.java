package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import java.util.Arrays;

/**
 * The stored samples of each content, as linked lists. The first sample of a list is the sample
 * that arrived last, and its frequency is the number of arrivals of the content. When this sample
 * is removed, the next sample in the list inherits the frequency. So the frequency is lost only
 * with the last sample of the content. Every operation takes constant time, however many samples
 * have one content. Confined to one thread.
 */
final class ContentGroups {
  private static final int NONE = SlotTable.ABSENT;
  private static final long[] NO_HEIRS = {};

  /**
   * Finds the page of a slot. The page has the columns of the slot and its neighbours in the list.
   */
  @FunctionalInterface
  interface Pages {
    SlotFields of(int slot);
  }

  private final Pages pages;
  private final SlotTable first;
  private long[] heirs = NO_HEIRS;
  private int heirCount;

  ContentGroups(Pages pages) {
    this.pages = pages;
    first = SlotTable.ofHashes(slot -> pages.of(slot).hashLow[at(slot)]);
  }

  private static int at(int slot) {
    return slot & SlotFields.MASK;
  }

  /** Returns the first slot with a content, or {@link SlotTable#ABSENT}. */
  int first(ContentHash hash) {
    return first(hash.high(), hash.low());
  }

  private int first(long high, long low) {
    int cell = first.start(low);
    int slot = first.slot(cell);
    while (slot != NONE && !holds(slot, high, low)) {
      cell = first.next(cell);
      slot = first.slot(cell);
    }
    return slot;
  }

  /**
   * Returns the frequency of a slot's content, which is stored with the first sample of its list.
   */
  int arrivals(int slot) {
    SlotFields page = pages.of(slot);
    return frequency(
        younger(slot) == NONE ? slot : first(page.hashHigh[at(slot)], page.hashLow[at(slot)]));
  }

  private boolean holds(int slot, long high, long low) {
    SlotFields page = pages.of(slot);
    return page.hashLow[at(slot)] == low && page.hashHigh[at(slot)] == high;
  }

  /**
   * Adds a slot whose columns are set. The slot becomes the first of its content, unless another
   * sample of this content has arrived later, which is possible while samples are read from the
   * store in any order.
   */
  void add(int slot) {
    SlotFields page = pages.of(slot);
    int head = first(page.hashHigh[at(slot)], page.hashLow[at(slot)]);
    link(NONE, slot);
    if (head == NONE) {
      link(slot, NONE);
      first.add(slot);
    } else if (later(slot, head)) {
      first.remove(head);
      link(slot, head);
      first.add(slot);
    } else {
      link(slot, older(head));
      link(head, slot);
    }
  }

  private boolean later(int slot, int other) {
    int byFrequency = Integer.compare(frequency(slot), frequency(other));
    return byFrequency != 0
        ? byFrequency > 0
        : pages.of(slot).id[at(slot)] > pages.of(other).id[at(other)];
  }

  /** Removes a slot whose columns still hold its content. */
  void remove(int slot) {
    int before = younger(slot);
    int after = older(slot);
    if (before == NONE) {
      first.remove(slot);
    }
    link(before, after);
    if (before == NONE && after != NONE) {
      first.add(after);
      inherit(after, frequency(slot));
    }
  }

  /**
   * Passes a frequency to another sample. A sample without a label is never evaluated, so it needs
   * no frequency.
   */
  private void inherit(int heir, int frequency) {
    SlotFields page = pages.of(heir);
    boolean labeled = (page.flags[at(heir)] & SlotFields.LABELED) != 0;
    if (labeled && frequency > page.frequency[at(heir)]) {
      page.frequency[at(heir)] = frequency;
      heirs = heirCount == heirs.length ? Arrays.copyOf(heirs, 2 * heirCount + 4) : heirs;
      heirs[heirCount++] = page.id[at(heir)];
    }
  }

  /**
   * Returns the ids of the samples that have inherited a frequency since the last call; some of
   * them are possibly removed by now.
   */
  long[] takeHeirs() {
    long[] taken = heirCount == 0 ? NO_HEIRS : Arrays.copyOf(heirs, heirCount);
    heirCount = 0;
    return taken;
  }

  /** Returns the present heap bytes of the table. */
  long bytes() {
    return first.bytes();
  }

  private int frequency(int slot) {
    return pages.of(slot).frequency[at(slot)];
  }

  private int younger(int slot) {
    return pages.of(slot).younger[at(slot)];
  }

  private int older(int slot) {
    return pages.of(slot).older[at(slot)];
  }

  /** Makes two slots neighbours; either of them can be absent. */
  private void link(int younger, int older) {
    if (younger != NONE) {
      pages.of(younger).older[at(younger)] = older;
    }
    if (older != NONE) {
      pages.of(older).younger[at(older)] = younger;
    }
  }
}
