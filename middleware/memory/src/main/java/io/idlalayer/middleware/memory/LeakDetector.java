package io.idlalayer.middleware.memory;

import java.lang.ref.Cleaner;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notices objects whose last handle was garbage before they were retired. It reports and never
 * frees: what is lost stays in the books until its owner is repaired. Any thread.
 */
final class LeakDetector {
  /** One thread for all memories of a process, started with the first handle. */
  private static final class Shared {
    static final Cleaner CLEANER = Cleaner.create();
  }

  private final Map<MemObject, Integer> handles = new ConcurrentHashMap<>();
  private final Set<MemObject> lost = ConcurrentHashMap.newKeySet();

  /**
   * Watches a handle of an object, which must not be reachable from the object.
   *
   * @return to be run when the object was given up through the handle
   */
  Runnable watch(Object handle, MemObject object) {
    handles.merge(object, 1, Integer::sum);
    AtomicBoolean givenUp = new AtomicBoolean();
    Cleaner.Cleanable watched = Shared.CLEANER.register(handle, () -> gone(object, givenUp.get()));
    return () -> {
      givenUp.set(true);
      watched.clean();
    };
  }

  private void gone(MemObject object, boolean givenUp) {
    boolean last = handles.computeIfPresent(object, (key, n) -> n == 1 ? null : n - 1) == null;
    if (last && !givenUp && !object.retired()) {
      lost.add(object);
    }
  }

  /** An object was retired. */
  void retired(MemObject object) {
    handles.remove(object);
    lost.remove(object);
  }

  /** Objects that nobody can retire any more, except those that an open scope will. */
  List<MemObject> lost() {
    lost.removeIf(MemObject::retired);
    return lost.stream()
        .filter(object -> !object.scoped())
        .sorted(Comparator.comparingLong(MemObject::id))
        .toList();
  }

  /** No object is anybody's any more. */
  void close() {
    handles.clear();
    lost.clear();
  }
}
