package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.cache.CacheFolder.Entry;
import io.idlalayer.middleware.models.storage.cache.CacheTroubles.Trouble;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read-through cache of the files of versions, in a folder that all processes of a user on a host
 * share. The first process that needs a file reads it from its source and writes a copy; the others
 * wait for the copy and read it. A file is found by its SHA-256 and length, so the versions of any
 * application, cluster or store can share a folder. The least recently used copies are deleted if
 * the folder grows above its bound.
 *
 * <p>A cache never makes a read fail: if the folder cannot be used, is full, or has a damaged copy,
 * the source is read instead, and the log says so once.
 *
 * <p>Any number of subscribers and threads may use one cache. It holds nothing open while no file
 * is read, so it need not be closed.
 */
public final class VersionCache {
  private static final Logger LOG = LoggerFactory.getLogger(VersionCache.class);

  /** Time between two looks at a copy that another process writes. */
  static final Duration LOOK = Duration.ofMillis(20);

  private final VersionCacheSettings settings;
  private final InstantSource clock;
  private final Pauses pauses;
  private final CacheOperations operations;
  private final CacheTroubles troubles = new CacheTroubles();
  private final Fillings fillings = new Fillings();
  private final AtomicLong hits = new AtomicLong();
  private final AtomicLong misses = new AtomicLong();
  private final AtomicLong sourceBytes = new AtomicLong();

  /** The folder, if it could be used when it was needed last. */
  private volatile @Nullable CacheFolder opened;

  /**
   * What a cache has done so far.
   *
   * @param hits files that were read from the folder, or together with another thread
   * @param misses files that this process has read from their source
   * @param sourceBytes bytes that this process has read from sources
   */
  public record Counts(long hits, long misses, long sourceBytes) {}

  /**
   * Creates a cache, which uses the folder when the first file is read.
   *
   * @param clock tells when copies are used
   */
  public VersionCache(VersionCacheSettings settings, InstantSource clock) {
    this(settings, clock, Pauses.system(), CacheOperations.system());
  }

  VersionCache(
      VersionCacheSettings settings,
      InstantSource clock,
      Pauses pauses,
      CacheOperations operations) {
    this.settings = settings;
    this.clock = clock;
    this.pauses = pauses;
    this.operations = operations;
  }

  /** Returns the settings with which this cache was created. */
  public VersionCacheSettings settings() {
    return settings;
  }

  /** Returns what the cache has done so far. */
  public Counts counts() {
    return new Counts(hits.get(), misses.get(), sourceBytes.get());
  }

  CacheTroubles troubles() {
    return troubles;
  }

  Instant now() {
    return clock.instant();
  }

  void countHit() {
    hits.incrementAndGet();
  }

  void countMiss() {
    misses.incrementAndGet();
  }

  void countSourceBytes(long bytes) {
    sourceBytes.addAndGet(bytes);
  }

  /**
   * Opens a file of a version.
   *
   * @param file the file, as the manifest names it
   * @param address where the file is at its source, for messages
   * @param from first byte to be read
   * @param fills whether to write the file into the folder if it is not there; only for readers
   *     that want the whole file
   * @throws java.nio.file.NoSuchFileException if the folder does not have it, and it is not at its
   *     source
   */
  InputStream open(ModelFile file, String address, Origin origin, long from, boolean fills)
      throws IOException {
    Optional<CopyName> named = CopyName.of(file);
    if (named.isEmpty()) {
      return new CachedStream((position, changes) -> uncached(origin, position), from);
    }
    CopyName name = named.get();
    return new CachedStream(
        (position, changes) -> {
          // A damaged copy is replaced once; whatever happens then, the source is read.
          Feed cached = changes > 1 ? null : cached(name, file, address, origin, fills);
          return cached == null ? uncached(origin, position) : cached;
        },
        from);
  }

  private Feed uncached(Origin origin, long position) throws IOException {
    Feed source = new SourceFeed(origin.open(position), this::countSourceBytes);
    countMiss();
    return source;
  }

  /** Returns a feed from the folder, or one that fills the folder; null if there can be none. */
  private @Nullable Feed cached(
      CopyName name, ModelFile file, String address, Origin origin, boolean fills)
      throws IOException {
    WaitLimit limit = new WaitLimit(settings.mostWait(), pauses.nanoTime());
    while (true) {
      Filling filling;
      long partBytes;
      try {
        CacheFolder folder = folder();
        CopyFile copy = copy(folder, name);
        if (copy != null) {
          countHit();
          return new CopyFeed(folder, name, copy, operations, troubles);
        }
        if (!fills) {
          return null;
        }
        filling = fillings.join(name, () -> start(folder, name, file, address, origin));
        partBytes = folder.partBytes(name);
      } catch (IOException unusable) {
        unusable(unusable);
        return null;
      }
      if (filling != null) {
        return joined(filling);
      }
      if (!limit.allows(partBytes, pauses.nanoTime())) {
        tellWait(name);
        return null;
      }
      pause(address);
    }
  }

  private void tellWait(CopyName name) {
    if (!settings.mostWait().isZero()) {
      troubles.tell(
          Trouble.WAIT, "another process takes too long to write %s".formatted(name.copy()));
    }
  }

  private void pause(String address) throws IOException {
    try {
      pauses.pause(LOOK);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw (InterruptedIOException)
          new InterruptedIOException("interrupted while another process read " + address)
              .initCause(interrupted);
    }
  }

  /** Returns a feed of a filling that this thread has joined; null if it does not begin. */
  private @Nullable Feed joined(Filling filling) throws IOException {
    FillingFeed feed = new FillingFeed(fillings, filling);
    boolean begun = false;
    try {
      begun = !filling.failed() && filling.begin();
    } finally {
      if (!begun) {
        feed.close();
      }
    }
    return begun ? feed : null;
  }

  /** Begins to fill the folder with a file; null if another process or cache does. */
  private @Nullable Filling start(
      CacheFolder folder, CopyName name, ModelFile file, String address, Origin origin)
      throws IOException {
    PartFile part = PartFile.take(folder, name, operations);
    if (part == null) {
      return null;
    }
    if (CacheFolder.key(folder.copy(name)) != null) {
      // The process that had the part has just completed it.
      part.close();
      return null;
    }
    return new Filling(this, name, file, address, origin, part);
  }

  private @Nullable CopyFile copy(CacheFolder folder, CopyName name) throws IOException {
    try {
      return CopyFile.open(folder, name, now(), operations);
    } catch (DamagedCopyException damaged) {
      troubles.damaged(name, String.valueOf(damaged.getMessage()));
      return null;
    }
  }

  private CacheFolder folder() throws IOException {
    CacheFolder known = opened;
    opened = null;
    if (known == null) {
      known = CacheFolder.open(settings.folder());
    } else {
      known.check();
    }
    opened = known;
    troubles.over(Trouble.FOLDER);
    return known;
  }

  private void unusable(IOException why) {
    if (!(why instanceof ClosedChannelException)) {
      troubles.tell(
          opened == null ? Trouble.FOLDER : Trouble.FILE,
          "the cache in %s cannot be used: %s".formatted(settings.folder(), why));
    }
  }

  /**
   * Returns the copies to delete so that a new one fits, and deletes what processes that died have
   * left.
   *
   * @return empty if it does not fit
   */
  Optional<List<Entry>> oldFor(CopyName name) {
    try {
      CacheFolder folder = folder();
      List<Entry> present = folder.entries();
      present.removeIf(entry -> entry.part() && deletesAbandoned(folder, entry, name));
      long needed = CopyFormat.fileBytes(name.bytes());
      long usable = operations.usableBytes(folder.path());
      Optional<List<Entry>> old =
          CacheRoom.forNew(needed, present, settings.mostBytes(), usable, clock.millis());
      if (old.isEmpty()) {
        troubles.tell(
            Trouble.ROOM,
            String.format(
                Locale.ROOT,
                "the cache in %s has no room for a file of %d bytes: it may have %d bytes, and %d"
                    + " are free in the file system",
                settings.folder(),
                needed,
                settings.mostBytes(),
                usable));
      }
      return old;
    } catch (IOException failed) {
      unusable(failed);
      return Optional.empty();
    }
  }

  /** Returns whether an unfinished copy takes no room: it is the new one itself, or abandoned. */
  private boolean deletesAbandoned(CacheFolder folder, Entry entry, CopyName begun) {
    if (entry.name().equals(begun)) {
      return true;
    }
    try (PartFile abandoned = PartFile.take(folder, entry.name(), operations)) {
      return abandoned != null;
    } catch (IOException stays) {
      LOG.debug("{} is left as it is", entry.path(), stays);
      return false;
    }
  }

  /** Tells that a copy was completed: deletes old ones that are beyond the bound now. */
  void added(CopyName name) {
    troubles.over(Trouble.FILE);
    troubles.over(Trouble.ROOM);
    troubles.over(Trouble.WAIT);
    try {
      delete(CacheRoom.beyond(settings.mostBytes(), folder().entries(), name, clock.millis()));
    } catch (IOException failed) {
      unusable(failed);
    }
  }

  /** Deletes copies to make room; returns whether all of them could be deleted. */
  boolean delete(List<Entry> old) {
    try {
      for (Entry entry : old) {
        operations.delete(entry.path());
        LOG.debug("deleted {}, to make room", entry.path());
      }
      return true;
    } catch (IOException failed) {
      unusable(failed);
      return false;
    }
  }
}
