package io.idlalayer.middleware.sample;

import io.idlalayer.middleware.primitive.BitMixer;
import java.util.Locale;

/**
 * The key of an event, and the facts that were known about this key when the event arrived. A
 * decoder knows only the key; the history of keys adds the facts. The array must not be changed.
 *
 * @param key a hash of the key ({@link IdKeys}); {@link IdLists#MISSING} if the event has no key
 * @param order place of the event among the events of all keys, from 1 on; 0 if the history was not
 *     looked up
 * @param values the last labels and the changes of numbers, in the order that {@link
 *     SampleSchema#contextWidth} describes; empty if the history was not looked up
 */
public record KeyContext(long key, long order, double[] values) {
  /** The context of an event without a key. */
  public static final KeyContext NONE = new KeyContext(IdLists.MISSING, 0, new double[0]);

  /** Returns the context of an event with a key whose history was not looked up yet. */
  public static KeyContext ofKey(long key) {
    return key == IdLists.MISSING ? NONE : new KeyContext(key, 0, NONE.values());
  }

  public boolean hasKey() {
    return key != IdLists.MISSING;
  }

  /** Returns whether the history of the key was looked up. */
  public boolean known() {
    return order > 0;
  }

  /**
   * Returns a hash that also depends on these values; the given hash if there are none. Samples
   * with equal content but different contexts are different to a network.
   */
  public long mixedInto(long hash) {
    long mixed = hash;
    for (double value : values) {
      mixed = BitMixer.splitMix(mixed ^ Double.doubleToLongBits(value));
    }
    return mixed;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "KeyContext[%016x, order %d, %d values]", key, order, values.length);
  }
}
