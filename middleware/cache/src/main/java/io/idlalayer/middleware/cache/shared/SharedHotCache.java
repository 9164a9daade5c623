package io.idlalayer.middleware.cache.shared;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hot cache of this process in a file that other processes of the cluster on this host read,
 * and that the next process takes over. Payloads are found by their digests, so every answer is
 * right, no matter which process has put the payload into the cache, and when. Thread-safe.
 *
 * <p>If the file system loses bytes of a mapped file, the cache returns no payloads any more, and
 * writes a message to the log.
 */
public final class SharedHotCache implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SharedHotCache.class);

  /** Number of rounds between two scans of the directory. */
  private static final int ROUNDS_PER_SCAN = 20;

  /** Number of accesses to lost bytes after which the cache is given up. */
  private static final int FAULTS_MAX = 8;

  private final CacheFile file;
  private final HotCache hot;
  private final CacheOwner lent;
  private final Neighbours neighbours;
  private final Lending lending;
  private final long foundBlocks;
  private final LongAdder neighbourHits = new LongAdder();
  private final LongAdder damaged = new LongAdder();
  private final AtomicBoolean lost = new AtomicBoolean();
  private volatile boolean closed;
  private volatile int oneOrMore = 1;
  private int faults;
  private int rounds;

  /**
   * Opens the file of this process. If there is a file of a dead process, it is taken over with its
   * blocks. Deletes files that were not used for a day.
   *
   * @param parent directory of the shared caches of all users, such as {@code /dev/shm}
   * @param cluster text that only the processes of a cluster have in common, also after a restart;
   *     only they take over a file, but all processes of the user read it
   * @param nowMillis epoch milliseconds
   * @throws IOException if the cache cannot be shared in this directory; the message says why and
   *     what to do
   */
  public SharedHotCache(Path parent, String cluster, CacheSettings settings, long nowMillis)
      throws IOException {
    if (settings.ceilingBytes() > FileLayout.REGIONS_BYTES_MAX) {
      throw new UnusableFileException(
          "all learners of the job give %,d bytes to the hot cache; at most %,d can be shared"
              .formatted(settings.ceilingBytes(), FileLayout.REGIONS_BYTES_MAX));
    }
    PayloadDigest digest = PayloadDigest.of(cluster.getBytes(StandardCharsets.UTF_8));
    FileLayout.Identity identity = new FileLayout.Identity(digest.high(), digest.low());
    SharedDirectory directory = new SharedDirectory(parent, identity);
    FileLayout layout =
        FileLayout.of(
            identity, settings.segments(), settings.regionBytes(), settings.ceilingBytes());
    file = directory.hold(layout, nowMillis);
    boolean done = false;
    try {
      int deleted = new AbandonedFiles(AbandonedFiles.AGE).sweep(directory, nowMillis);
      foundBlocks = file.waitingBlocks();
      lending = new Lending(file);
      hot =
          new HotCache(
              settings, segment -> new FileSegment(file, segment, lending), this::changeSize);
      lent = hot.lentOwner();
      neighbours = new Neighbours(directory, file.path());
      neighbours.scan();
      LOG.info(
          "the hot cache is shared in the file {}: {} neighbours, {} blocks of an earlier process,"
              + " {} old files deleted",
          file.path(),
          neighbours.files().length,
          foundBlocks,
          deleted);
      done = true;
    } finally {
      if (!done) {
        file.close();
      }
    }
  }

  /** Returns the cache of this process. Only this object puts and looks up its blocks. */
  public HotCache hot() {
    return hot;
  }

  /**
   * Returns a copy of a payload that this process or a neighbour has, or null.
   *
   * @param owner owner whose lookup is counted
   */
  public byte @Nullable [] get(CacheOwner owner, PayloadDigest digest) {
    if (closed) {
      owner.missed();
      return null;
    }
    try {
      byte[] payload = find(owner, digest);
      awaitFault();
      return payload;
    } catch (InternalError fault) {
      faulted(fault);
      return null;
    }
  }

  private byte @Nullable [] find(CacheOwner owner, PayloadDigest digest) {
    byte[] record = hot.get(owner, digest.space(), digest.id());
    if (record != null) {
      byte[] payload = BlockRecord.payload(digest, record);
      if (payload != null) {
        return payload;
      }
      awaitFault();
      damaged.increment();
      hot.invalidate(digest.space(), digest.id());
    }
    Neighbours.Answer answer = neighbours.get(digest);
    if (answer == null) {
      return null;
    }
    neighbourHits.increment();
    lending.used(answer.file(), digest);
    if (record == null) {
      hot.foundElsewhere(owner);
    }
    return answer.payload();
  }

  /**
   * Returns whether this process has a payload or a neighbour lists it; the call does not count as
   * a lookup.
   */
  public boolean contains(PayloadDigest digest) {
    return unlessLost(() -> hot.contains(digest.space(), digest.id()) || neighbours.list(digest));
  }

  /**
   * Puts a copy of a payload into the cache of this process, unless the payload does not fit.
   *
   * @return digest of the payload
   */
  public PayloadDigest put(CacheOwner owner, byte[] payload, Reuse reuse) {
    PayloadDigest digest = PayloadDigest.of(payload);
    put(owner, digest, payload, reuse);
    return digest;
  }

  /**
   * Puts a copy of a payload into the cache of this process, unless the cache cannot hold it.
   *
   * @param digest digest of the payload; with a wrong digest, processes would read wrong bytes
   */
  public void put(CacheOwner owner, PayloadDigest digest, byte[] payload, Reuse reuse) {
    unlessLost(
        () ->
            hot.put(owner, digest.space(), digest.id(), BlockRecord.encode(digest, payload), reuse)
                != HotCache.PutResult.REFUSED_SIZE);
  }

  /** Removes a payload from the cache of this process. */
  public void invalidate(PayloadDigest digest) {
    unlessLost(() -> hot.invalidate(digest.space(), digest.id()));
  }

  /**
   * Shows neighbours that this process lives, takes blocks that they offer, and sometimes looks for
   * new neighbours. Called every few hundredths of a second by one thread.
   *
   * @param nowMillis epoch milliseconds
   */
  public synchronized void round(long nowMillis) {
    unlessLost(
        () -> {
          requireWhole();
          if (!closed) {
            file.used(nowMillis);
            if (rounds++ % ROUNDS_PER_SCAN == 0) {
              neighbours.scan();
            }
            lending.round(hot, lent, neighbours, nowMillis);
          }
          return true;
        });
  }

  /**
   * Changes the size of the cache. Called while the thread holds the lock of the cache, so this
   * method must not take the lock of this object.
   */
  private void changeSize(Runnable change) {
    try {
      change.run();
      awaitFault();
    } catch (InternalError fault) {
      lose("it has lost bytes while its size changed", fault);
    }
  }

  private void requireWhole() {
    try {
      if (!closed && !file.whole()) {
        lose("the file was cut", null);
      }
    } catch (ClosedChannelException interrupted) {
      LOG.debug("{} was closed by an interrupt and is opened again", file.path(), interrupted);
    } catch (IOException unreadable) {
      lose("its size cannot be read", unreadable);
    }
  }

  /**
   * Runs something that touches mapped memory. If a file lost bytes that are mapped, the virtual
   * machine throws an {@link InternalError}, which can come late: even after a payload was copied
   * and its checksum was found right by chance.
   */
  private boolean unlessLost(BooleanSupplier action) {
    if (closed) {
      return false;
    }
    try {
      boolean done = action.getAsBoolean();
      awaitFault();
      return done;
    } catch (InternalError fault) {
      faulted(fault);
      return false;
    }
  }

  /**
   * Continues without the neighbour whose file was truncated, or without any file if it was the
   * file of this process.
   */
  private synchronized void faulted(InternalError fault) {
    requireWhole();
    if (!closed && ++faults > FAULTS_MAX) {
      lose("mapped files have lost bytes " + faults + " times", fault);
    }
    if (!closed) {
      LOG.warn("{}: the file of a neighbour was cut", file.path(), fault);
      neighbours.scan();
    }
  }

  /**
   * Makes the virtual machine throw the error of an earlier access to mapped memory, if there was
   * one. The virtual machine throws such an error late: when it returns from its own code, for
   * example from the allocation of an array of unknown dimensions.
   */
  private void awaitFault() {
    int length = oneOrMore;
    oneOrMore = new byte[length][length].length;
  }

  private void lose(String what, @Nullable Throwable cause) {
    if (lost.compareAndSet(false, true)) {
      closed = true;
      // Learners and the planner of donations continue to use the cache, so it must not touch lost
      // memory.
      hot.abandon();
      LOG.error(
          "{}: {}; payloads are read from the store until the job starts again. Let no program but"
              + " this one change files there",
          file.path(),
          what,
          cause);
    }
  }

  /** Returns how many payloads were found in the files of neighbours. */
  public long neighbourHits() {
    return neighbourHits.sum();
  }

  /** Returns statistics of the sharing so far. */
  public SharedUse use() {
    return new SharedUse(
        neighbours.files().length,
        neighbourHits.sum(),
        foundBlocks,
        hot.payloadBytes(lent),
        file.layout().frontBytes(),
        neighbours.skippedFiles(),
        damaged.sum() + neighbours.damaged());
  }

  /** Ends the use of the cache and leaves its blocks to the next process. */
  @Override
  public synchronized void close() {
    closed = true;
    hot.close();
    neighbours.close();
    try {
      file.close();
    } catch (IOException failed) {
      LOG.warn("{} could not be closed", file.path(), failed);
    }
  }
}
