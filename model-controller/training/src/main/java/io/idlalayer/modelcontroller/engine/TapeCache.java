package io.idlalayer.modelcontroller.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Caches the last used tapes of a network, by their number of rows. */
final class TapeCache<T> implements AutoCloseable {
  /**
   * Largest number of tapes in the cache: one for a full mini-batch, one for the last mini-batch,
   * and one for each power of two of weighted or predicted rows.
   */
  private static final int MOST = 16;

  private final Consumer<T> closing;
  private final LinkedHashMap<Integer, T> tapes = new LinkedHashMap<>(MOST, 0.75f, true);

  /**
   * @param closing frees the resources of a tape
   */
  TapeCache(Consumer<T> closing) {
    this.closing = closing;
  }

  /** Returns the tape for a number of rows. If there is none, creates it. */
  T get(int rows, IntFunction<T> maker) {
    T known = tapes.get(rows);
    if (known != null) {
      return known;
    }
    if (tapes.size() == MOST) {
      Map.Entry<Integer, T> eldest = tapes.entrySet().iterator().next();
      tapes.remove(eldest.getKey());
      closing.accept(eldest.getValue());
    }
    T made = maker.apply(rows);
    tapes.put(rows, made);
    return made;
  }

  @Override
  public void close() {
    tapes.values().forEach(closing);
    tapes.clear();
  }
}
