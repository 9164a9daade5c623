package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files that this cache is reading from their sources at the moment. Any thread. */
final class Fillings {
  private final Map<CopyName, Filling> running = new HashMap<>();

  /** Begins a filling, if the file of its copy can be taken. */
  @FunctionalInterface
  interface Start {
    /** Returns null if another process, or another cache of this one, writes the copy. */
    @Nullable Filling tryStart() throws IOException;
  }

  /**
   * Returns the filling of a file, for a further reader, which must {@link #leave} it.
   *
   * @param start begins one if there is none
   * @return null if there is none and none can be begun
   */
  synchronized @Nullable Filling join(CopyName name, Start start) throws IOException {
    Filling filling = running.get(name);
    if (filling == null) {
      filling = start.tryStart();
      if (filling == null) {
        return null;
      }
      running.put(name, filling);
    }
    filling.addReader();
    return filling;
  }

  /** Removes a reader; the last one ends the filling. */
  void leave(Filling filling) throws IOException {
    synchronized (this) {
      if (!filling.removeReader()) {
        return;
      }
      running.remove(filling.name(), filling);
    }
    filling.close();
  }
}
