package io.idlalayer.jobs.operator;

import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import org.jspecify.annotations.Nullable;

/**
 * The one hot cache of this process, shared by all subtasks. The first subtask says how large it
 * may become and which policy it follows; it is closed when the last one has let it go.
 */
final class ProcessCache {
  private static @Nullable HotCache cache;
  private static int users;

  private ProcessCache() {}

  static synchronized HotCache acquire(CacheSettings settings) {
    HotCache shared = cache;
    if (shared == null) {
      shared = new HotCache(settings);
      cache = shared;
    }
    users++;
    return shared;
  }

  static synchronized void release() {
    users--;
    if (users == 0 && cache != null) {
      cache.close();
      cache = null;
    }
  }
}
