package io.idlalayer.middleware.sample.history;

import java.util.Arrays;

/**
 * The kept facts about the events of one key: the dense values of the last event, and the labels of
 * the last labelled events, in the order of the events. Confined to one thread.
 */
final class KeyHistory {
  private static final double[] NOTHING = {};

  private long lastOrder;
  private double[] lastDense = NOTHING;
  private int count;

  /**
   * Places of the labelled events in the stream, the latest first; the first {@link #count}
   * elements are in use.
   */
  private final long[] orders;

  private final double[] labels;

  /**
   * @param most largest number of labels
   */
  KeyHistory(int most) {
    orders = new long[most];
    labels = new double[most];
  }

  /** Returns the place of the last event in the stream; 0 before the first event. */
  long lastOrder() {
    return lastOrder;
  }

  /** Returns the dense values of the last event; empty if they are not kept. */
  double[] lastDense() {
    return lastDense;
  }

  /** Returns the number of known labels. */
  int labels() {
    return count;
  }

  /**
   * @param index 0 for the latest event
   */
  double label(int index) {
    return labels[index];
  }

  long order(int index) {
    return orders[index];
  }

  /** Stores the values of an event, unless a later event is stored. */
  void event(long order, double[] dense) {
    if (order >= lastOrder) {
      lastOrder = order;
      lastDense = dense;
    }
  }

  /**
   * Stores the label of an event, which replaces its earlier label. If the history is full, the
   * label of the oldest event is removed, which can be this event.
   */
  void label(long order, double label) {
    int at = placeOf(order);
    if (at == orders.length) {
      return;
    }
    if (at == count || orders[at] != order) {
      int kept = Math.min(count, orders.length - 1);
      System.arraycopy(orders, at, orders, at + 1, kept - at);
      System.arraycopy(labels, at, labels, at + 1, kept - at);
      count = kept + 1;
    }
    orders[at] = order;
    labels[at] = label;
  }

  /** Forgets the label of an event. */
  void forget(long order) {
    int at = placeOf(order);
    if (at < count && orders[at] == order) {
      System.arraycopy(orders, at + 1, orders, at, count - at - 1);
      System.arraycopy(labels, at + 1, labels, at, count - at - 1);
      count--;
    }
  }

  /** Returns the index of the first label whose event is this one or an earlier one. */
  private int placeOf(long order) {
    int at = 0;
    while (at < count && orders[at] > order) {
      at++;
    }
    return at;
  }

  long[] knownOrders() {
    return Arrays.copyOf(orders, count);
  }

  double[] knownLabels() {
    return Arrays.copyOf(labels, count);
  }
}
