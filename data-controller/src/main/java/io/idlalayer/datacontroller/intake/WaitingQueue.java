package io.idlalayer.datacontroller.intake;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * The queue of the ids of waiting samples, in the order in which they began to wait. Confined to
 * one thread.
 */
public final class WaitingQueue {
  private long[] ids = new long[64];
  private int head;
  private int tail;

  public int size() {
    return tail - head;
  }

  public long id(int position) {
    return ids[head + position];
  }

  public void add(long id) {
    if (tail == ids.length) {
      int size = size();
      long[] target = head < ids.length / 2 ? new long[ids.length * 2] : ids;
      System.arraycopy(ids, head, target, 0, size);
      ids = target;
      head = 0;
      tail = size;
    }
    ids[tail++] = id;
  }

  /** Removes and returns the id that has waited longest. The queue must not be empty. */
  long takeFirst() {
    return ids[head++];
  }

  /** Removes the id at the end of the queue, which must not be empty. */
  void removeLast() {
    tail--;
  }

  /** Tells which of two samples began to wait before the other. */
  @FunctionalInterface
  public interface Order {
    boolean before(long id, long other);
  }

  /** Inserts an id at its place in the order, which is nearly always the end. */
  public void add(long id, Order order) {
    add(id);
    int last = tail - 1;
    if (last == head || order.before(ids[last - 1], id)) {
      return;
    }
    int low = head;
    int high = last;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order.before(ids[middle], id)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    System.arraycopy(ids, low, ids, low + 1, last - low);
    ids[low] = id;
  }

  /** Sorts the queue by an order; fast if it is nearly sorted. */
  public void sort(Order order) {
    long[] from = Arrays.copyOfRange(ids, head, tail);
    long[] to = new long[from.length];
    for (long run = 1; run < from.length; run *= 2) {
      for (long start = 0; start < from.length; start += 2 * run) {
        int middle = (int) Math.min(start + run, from.length);
        int end = (int) Math.min(start + 2 * run, from.length);
        merge(from, to, (int) start, middle, end, order);
      }
      long[] held = from;
      from = to;
      to = held;
    }
    System.arraycopy(from, 0, ids, head, from.length);
  }

  private static void merge(long[] from, long[] to, int start, int middle, int end, Order order) {
    int first = start;
    int second = middle;
    if (middle == end || order.before(from[middle - 1], from[middle])) {
      System.arraycopy(from, start, to, start, end - start);
      return;
    }
    for (int i = start; i < end; i++) {
      boolean takeFirst =
          second == end || (first < middle && !order.before(from[second], from[first]));
      to[i] = takeFirst ? from[first++] : from[second++];
    }
  }

  /** Returns the ids that have waited longest, ascending by id. */
  public long[] oldest(int count) {
    long[] oldest = Arrays.copyOfRange(ids, head, head + count);
    Arrays.sort(oldest);
    return oldest;
  }

  /** Returns the ids that pass a test, ascending. */
  public long[] all(LongPredicate test) {
    return Arrays.stream(ids, head, tail).filter(test).sorted().toArray();
  }

  /** Removes ids from the queue; fast if they are the oldest ids. */
  public void removeAll(long[] ascending) {
    int count = ascending.length;
    if (count <= size() && Arrays.equals(oldest(count), ascending)) {
      head += count;
      return;
    }
    retain(id -> Arrays.binarySearch(ascending, id) < 0);
  }

  /** Removes the ids that do not pass a test; the others keep their order. */
  public void retain(LongPredicate keep) {
    int to = head;
    for (int from = head; from < tail; from++) {
      if (keep.test(ids[from])) {
        ids[to++] = ids[from];
      }
    }
    tail = to;
  }

  /** Inserts ids before all other ids in the queue. */
  public void addOldest(long[] first) {
    long[] merged = new long[Math.max(64, (first.length + size()) * 2)];
    System.arraycopy(first, 0, merged, 0, first.length);
    System.arraycopy(ids, head, merged, first.length, size());
    tail = first.length + size();
    head = 0;
    ids = merged;
  }
}
