package io.idlalayer.middleware.cache.shared;

import io.idlalayer.middleware.cache.HotCache;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared cache file of another process, mapped for reading. Safe from any thread. Whatever the
 * other process writes at the same time, a lookup returns the right payload or none.
 */
final class NeighbourFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NeighbourFile.class);

  /** Largest number of bytes that are mapped at once. */
  private static final int WINDOW_BYTES_MAX = 1 << 30;

  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int TRIES = 3;

  private final Path path;
  private final Object key;
  private final FileChannel channel;
  private final FileLayout layout;
  private final ByteBuffer front;
  private final BlockDirectory[] directories;
  private final AtomicReferenceArray<@Nullable ByteBuffer> regions;
  private final LongAdder damaged = new LongAdder();
  private final OutboxReader outbox;
  private volatile boolean mappingFailed;
  private volatile boolean failureLogged;

  /**
   * Maps a file.
   *
   * @param key key that distinguishes this file from another file with the same path
   * @throws UnusableFileException if the file is no complete shared cache file of this version
   */
  NeighbourFile(Path path, Object key) throws IOException {
    this.path = path;
    this.key = key;
    channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    boolean whole = false;
    try {
      layout = FileLayout.decode(head(channel));
      if (channel.size() < layout.frontBytes()) {
        throw new UnusableFileException(
            "it has %,d bytes, fewer than the %,d before its first region"
                .formatted(channel.size(), layout.frontBytes()));
      }
      front = channel.map(MapMode.READ_ONLY, 0, layout.frontBytes());
      whole = true;
    } finally {
      if (!whole) {
        channel.close();
      }
    }
    front.order(ByteOrder.LITTLE_ENDIAN);
    directories = new BlockDirectory[layout.segments()];
    for (int i = 0; i < directories.length; i++) {
      directories[i] =
          new BlockDirectory(front, layout.directoryOffset(i), layout.entriesPerSegment());
    }
    regions = new AtomicReferenceArray<>(layout.regions());
    outbox = new OutboxReader(front, layout);
  }

  /** Returns the first bytes of a file, fewer if the file is shorter. */
  static byte[] head(FileChannel channel) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(FileLayout.HEADER_BYTES);
    while (head.hasRemaining() && channel.read(head, head.position()) >= 0) {
      // Reading continues until the end of the header or of the file.
    }
    byte[] bytes = new byte[head.position()];
    head.flip().get(bytes);
    return bytes;
  }

  Path path() {
    return path;
  }

  Object key() {
    return key;
  }

  OutboxReader outbox() {
    return outbox;
  }

  private long number(int at) {
    return (long) LONGS.getAcquire(front, at);
  }

  /** Returns when the owner of the file last recorded that it lives, epoch milliseconds. */
  long lastUseMillis() {
    return number(FileLayout.LAST_USE_AT);
  }

  /** Returns the free bytes that the owner of the file offers to other processes. */
  long freeBytes() {
    return number(FileLayout.FREE_BYTES_AT);
  }

  /** Returns how many records were found whose checksum did not match. */
  long damaged() {
    return damaged.sum();
  }

  /**
   * Returns whether the file still has all its bytes; if not, the file must not be read any more.
   */
  boolean whole() throws IOException {
    long present = number(FileLayout.PRESENT_REGIONS_AT);
    return present >= 0
        && present <= layout.regions()
        && channel.size() >= layout.fileBytes(present);
  }

  /** Returns whether regions can be mapped: the interrupt of a reader closes the file. */
  boolean open() {
    return channel.isOpen();
  }

  /**
   * Allows lookups to try again to map regions. Without this call, a failed mapping is not tried
   * again.
   */
  void retryMapping() {
    mappingFailed = false;
  }

  boolean lists(PayloadDigest digest) {
    return directory(digest).find(digest) != BlockDirectory.NONE;
  }

  private BlockDirectory directory(PayloadDigest digest) {
    return directories[HotCache.segmentOf(digest.space(), digest.id(), layout.segments())];
  }

  /**
   * Returns a copy of a payload, or null if the file does not contain it or its entry is being
   * changed.
   */
  byte @Nullable [] get(PayloadDigest digest) {
    BlockDirectory directory = directory(digest);
    for (int tries = 0; tries < TRIES; tries++) {
      int entry = directory.find(digest);
      if (entry == BlockDirectory.NONE) {
        return null;
      }
      long version = directory.version(entry);
      long offset = directory.offset(entry);
      int length = directory.length(entry);
      byte[] record = directory.digest(entry).equals(digest) ? copy(offset, length) : null;
      if (directory.unchanged(entry, version)) {
        byte[] payload = record == null ? null : BlockRecord.payload(digest, record);
        if (payload == null) {
          damaged.increment();
        }
        return payload;
      }
    }
    return null;
  }

  private byte @Nullable [] copy(long offset, int length) {
    int bytes = layout.regionBytes();
    if (offset < 0 || length < BlockRecord.HEADER_BYTES || length > bytes) {
      return null;
    }
    long number = offset / bytes;
    int from = (int) (offset % bytes);
    if (number >= Math.min(number(FileLayout.PRESENT_REGIONS_AT), layout.regions())
        || from > bytes - length) {
      return null;
    }
    ByteBuffer region = region((int) number);
    if (region == null) {
      return null;
    }
    byte[] record = new byte[length];
    region.get(from, record);
    return record;
  }

  private @Nullable ByteBuffer region(int number) {
    ByteBuffer known = regions.get(number);
    if (known != null || mappingFailed) {
      return known;
    }
    try {
      long inFile = (channel.size() - layout.frontBytes()) / layout.regionBytes();
      int regionsInFile = (int) Math.min(layout.regions(), inFile);
      return number < regionsInFile ? mapWindow(number, regionsInFile) : null;
    } catch (ClosedChannelException interrupted) {
      LOG.debug("{} was closed; the next scan opens it again", path, interrupted);
      return null;
    } catch (IOException failed) {
      mappingFailed = true;
      if (!failureLogged) {
        failureLogged = true;
        LOG.warn(
            "{} cannot be mapped; its blocks are read from the store. Raise vm.max_map_count"
                + " (sysctl) or the limit of the process for virtual memory (ulimit -v)",
            path,
            failed);
      }
      return null;
    }
  }

  /**
   * Maps the largest window around a region that is whole in the file: a power of two of regions
   * that begins at a multiple of its size. So even if a file grows by one region at a time, the
   * number of mapped parts is at most the number of bits of its number of regions, plus one for
   * each full window.
   */
  private ByteBuffer mapWindow(int number, int regionsInFile) throws IOException {
    int count = 1;
    while (2 * count <= WINDOW_BYTES_MAX / layout.regionBytes()
        && (number & -(2 * count)) + 2 * count <= regionsInFile) {
      count *= 2;
    }
    int first = number & -count;
    MappedByteBuffer window =
        channel.map(
            MapMode.READ_ONLY, layout.regionOffset(first), (long) count * layout.regionBytes());
    ByteBuffer wanted = window;
    for (int i = 0; i < count; i++) {
      ByteBuffer region = window.slice(i * layout.regionBytes(), layout.regionBytes());
      regions.set(first + i, region);
      if (first + i == number) {
        wanted = region;
      }
    }
    return wanted;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
