package io.idlalayer.middleware.models.storage.cache;

import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs why a cache is not used, once until it can be used again. A subscriber goes on without its
 * cache, so nothing else tells that something is wrong. Any thread.
 */
final class CacheTroubles {
  private static final Logger LOG = LoggerFactory.getLogger(VersionCache.class);

  /** What can be wrong. */
  enum Trouble {
    /** The folder cannot be used at all. */
    FOLDER,
    /** A file is not written because there is no room for it. */
    ROOM,
    /** A copy could not be written or read. */
    FILE,
    /** Another process takes too long to write a copy. */
    WAIT
  }

  private final Set<Trouble> told = EnumSet.noneOf(Trouble.class);

  /** Logs a trouble, unless it was logged since it was {@link #over}. */
  synchronized void tell(Trouble trouble, String what) {
    if (told.add(trouble)) {
      LOG.warn("{}; files of versions are read from their source instead", what);
    }
  }

  /** Notes that a trouble is over; it is logged again when it comes back. */
  synchronized void over(Trouble trouble) {
    told.remove(trouble);
  }

  /** Logs that a damaged copy was found and deleted. */
  void damaged(CopyName name, String reason) {
    LOG.warn(
        "the cached file {} is damaged: {}; it was deleted and is read from its source again",
        name.copy(),
        reason);
  }
}
