package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.VerifiedStream;
import io.idlalayer.middleware.models.storage.cache.CacheFolder.Entry;
import io.idlalayer.middleware.models.storage.cache.CacheTroubles.Trouble;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A file that is read from its source and written into the folder, for all threads of the process
 * that read the file meanwhile. The reader that is furthest ahead reads the next block from the
 * source and writes the block; the others read what was written. So no reader waits for a slower
 * one, and none waits for the end of the file.
 *
 * <p>The last block is passed on only after the digest of the whole file was compared. If the
 * folder fails, or the source fails for one reader, every reader goes on alone from its position.
 *
 * <p>Threads: {@code pulling} guards the source and all writes. {@code written} and {@code failed}
 * are read without a lock, and so are the checksums of the blocks before {@code written}.
 */
final class Filling {
  private final VersionCache cache;
  private final CopyName name;
  private final ModelFile file;
  private final String address;
  private final Origin origin;
  private final PartFile part;

  private final ReentrantLock pulling = new ReentrantLock();
  private final ByteBuffer trailer;
  private final byte[] block;
  private @Nullable InputStream source;

  /** Number of bytes that readers can take from the part; it has whole blocks. */
  private volatile long written;

  private volatile boolean complete;
  private volatile boolean failed;

  /** Number of open readers; {@link Fillings} guards it. */
  private int readers;

  /**
   * @param address file or URL of the file at its source, for messages
   * @param part where to write it; this filling closes it
   */
  Filling(
      VersionCache cache,
      CopyName name,
      ModelFile file,
      String address,
      Origin origin,
      PartFile part) {
    this.cache = cache;
    this.name = name;
    this.file = file;
    this.address = address;
    this.origin = origin;
    this.part = part;
    trailer = CopyFormat.trailer(name.bytes());
    block = new byte[CopyFormat.blockBytes(name.bytes(), 0)];
  }

  /** Adds a reader; the caller holds the lock of {@link Fillings}. */
  void addReader() {
    readers++;
  }

  /** Removes a reader and returns whether it was the last one, as {@link #addReader}. */
  boolean removeReader() {
    readers--;
    return readers == 0;
  }

  CopyName name() {
    return name;
  }

  /** Returns whether no more bytes come: a new reader must not begin. */
  boolean failed() {
    return failed;
  }

  /**
   * Opens the source and makes room in the folder, unless another reader has done so. No copy is
   * deleted if the source cannot be opened.
   *
   * @return false if the folder has no room, or the filling has failed
   * @throws IOException if the source cannot be opened
   */
  boolean begin() throws IOException {
    lock();
    boolean good = false;
    boolean opened = false;
    try {
      if (source == null && !failed && !complete) {
        Optional<List<Entry>> old = cache.oldFor(name);
        if (old.isEmpty()) {
          return false;
        }
        source = new VerifiedStream(origin.open(0), address, file);
        if (!cache.delete(old.get())) {
          return false;
        }
        cache.countMiss();
        opened = true;
        if (name.bytes() == 0) {
          verifyEnd();
          finish();
        }
      }
      good = !failed;
      if (good && !opened) {
        cache.countHit();
      }
      return good;
    } finally {
      end(good);
    }
  }

  /** Releases {@link #pulling}. After a failure, no more bytes come. */
  private void end(boolean good) {
    if (!good) {
      failed = true;
    }
    pulling.unlock();
  }

  /**
   * Reads a block, from the source if no reader has done so yet.
   *
   * @param number number of the block, from 0
   * @param into array for the block
   * @return false if the block cannot be had here; another feed has to go on
   * @throws IOException if the source cannot be read
   */
  boolean read(int number, byte[] into) throws IOException {
    long position = (long) number * CopyFormat.BLOCK_BYTES;
    while (position >= written) {
      if (failed) {
        return false;
      }
      pull(position);
    }
    int bytes = CopyFormat.blockBytes(name.bytes(), number);
    try {
      part.read(ByteBuffer.wrap(into, 0, bytes), position);
      if (CopyFormat.checksum(into, bytes) != CopyFormat.checksumOf(trailer, number)) {
        throw new DamagedCopyException("it differs from what was written");
      }
      return true;
    } catch (IOException unreadable) {
      tell("read", unreadable);
      return false;
    }
  }

  private void lock() throws IOException {
    try {
      pulling.lockInterruptibly();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw (InterruptedIOException)
          new InterruptedIOException("interrupted while " + address + " was read")
              .initCause(interrupted);
    }
  }

  /** Reads the next block from the source and writes it, unless another reader has done so. */
  private void pull(long position) throws IOException {
    lock();
    boolean good = false;
    try {
      InputStream from = source;
      if (failed || from == null || position < written) {
        good = !failed && from != null;
        return;
      }
      long begin = written;
      int bytes = CopyFormat.blockBytes(name.bytes(), (int) (begin / CopyFormat.BLOCK_BYTES));
      int count = from.readNBytes(block, 0, bytes);
      cache.countSourceBytes(count);
      long end = begin + count;
      if (count < bytes || end == name.bytes()) {
        verifyEnd();
      }
      if (write(count, begin)) {
        trailer.putInt(CopyFormat.checksum(block, count));
        written = end;
        if (end == name.bytes()) {
          finish();
        }
        good = true;
      }
    } finally {
      end(good);
    }
  }

  /**
   * Reads to the end of the source.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if length or digest are
   *     not those of the manifest
   */
  private void verifyEnd() throws IOException {
    InputStream from = source;
    if (from != null && from.read() >= 0) {
      throw new IOException(address + " has more bytes than were read");
    }
  }

  /** Writes the block; returns whether the folder took it. */
  private boolean write(int count, long position) {
    try {
      part.write(ByteBuffer.wrap(block, 0, count), position);
      return true;
    } catch (IOException full) {
      tell("written", full);
      return false;
    }
  }

  /** Completes the copy. Readers do not need it any more, so a failure only costs the copy. */
  private void finish() {
    try {
      CopyFormat.finish(trailer, name.bytes());
      part.write(trailer, name.bytes());
      part.publish(cache.now());
      complete = true;
      cache.added(name);
    } catch (IOException lost) {
      tell("written", lost);
    }
  }

  private void tell(String what, IOException failure) {
    // An interrupt of a thread closes the file that it uses; this is no trouble of the folder.
    if (!(failure instanceof ClosedChannelException)) {
      cache
          .troubles()
          .tell(Trouble.FILE, "%s cannot be %s: %s".formatted(name.part(), what, failure));
    }
  }

  /** Ends the filling after its last reader; a copy that is not complete is deleted. */
  void close() throws IOException {
    failed = true;
    InputStream from = source;
    try {
      if (from != null) {
        from.close();
      }
    } finally {
      try {
        part.close();
      } catch (IOException stays) {
        tell("deleted", stays);
      }
    }
  }
}
