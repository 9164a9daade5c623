package io.idlalayer.jobs.operator;

import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import org.jspecify.annotations.Nullable;

/**
 * The one hot cache of this process, shared by all subtasks. The first subtask says how large it
 * may become and which policy it follows; it is closed when the last one has let it go.
 */
final class ProcessCache {
  private static final ProcessCache SHARED = new ProcessCache();

  private @Nullable HotCache cache;
  private int users;

  private ProcessCache() {}

  static HotCache acquire(CacheSettings settings) {
    return SHARED.enter(settings);
  }

  static void release() {
    SHARED.leave();
  }

  private synchronized HotCache enter(CacheSettings settings) {
    HotCache shared = cache;
    if (shared == null) {
      shared = new HotCache(settings);
      cache = shared;
    }
    users++;
    return shared;
  }

  private synchronized void leave() {
    users--;
    if (users == 0 && cache != null) {
      cache.close();
      cache = null;
    }
  }
}
