package io.idlalayer.middleware.cache.shared;

import io.idlalayer.middleware.cache.BlockListener;
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
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared cache file of this process, which only this process writes. It grows region by region
 * and never shrinks; every byte is written before it is mapped, so that a full file system is an
 * error here and never a fault in mapped memory. Safe from any thread.
 */
final class CacheFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CacheFile.class);
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int BLOCK_HEADER_BYTES = 8;
  private static final int BLOCK_UNIT_BYTES = 16;

  private final Path path;
  private FileChannel channel;
  private final OwnerLock lock;
  private final FileLayout layout;
  private final MappedByteBuffer front;
  private final BlockDirectory[] directories;

  /** Regions in the file that have no blocks and were written by this process. */
  private final Deque<Integer> free = new ArrayDeque<>();

  /** Regions in the file that have no blocks and possibly no memory yet. */
  private final Deque<Integer> unwritten = new ArrayDeque<>();

  /** Listed entries of each segment, by offset: offset in 8s and number of the entry. */
  private final long[][] found;

  private final int[] foundNext;
  private int present;
  private boolean closed;

  /**
   * Takes over a file. The caller has the lock of the file, and has compared or written its layout.
   *
   * @param nowMillis epoch milliseconds
   * @throws IOException if the file cannot be mapped
   */
  CacheFile(Path path, FileChannel channel, OwnerLock lock, FileLayout layout, long nowMillis)
      throws IOException {
    this.path = path;
    this.channel = channel;
    this.lock = lock;
    this.layout = layout;
    front = channel.map(MapMode.READ_WRITE, 0, layout.frontBytes());
    front.order(ByteOrder.LITTLE_ENDIAN);
    directories = new BlockDirectory[layout.segments()];
    for (int i = 0; i < directories.length; i++) {
      directories[i] =
          new BlockDirectory(front, layout.directoryOffset(i), layout.entriesPerSegment());
    }
    long inHeader = number(FileLayout.PRESENT_REGIONS_AT);
    long inFile = (channel.size() - layout.frontBytes()) / layout.regionBytes();
    present = (int) Math.max(0, Math.min(Math.min(inHeader, inFile), layout.regions()));
    set(FileLayout.PRESENT_REGIONS_AT, present);
    set(FileLayout.GENERATION_AT, number(FileLayout.GENERATION_AT) + 1);
    set(FileLayout.PROCESS_AT, ProcessHandle.current().pid());
    set(FileLayout.FREE_BYTES_AT, 0);
    used(nowMillis);
    found = new long[layout.segments()][];
    foundNext = new int[layout.segments()];
    findBlocks();
  }

  private void findBlocks() {
    int[] segmentOf = new int[present];
    Arrays.fill(segmentOf, -1);
    for (int segment = 0; segment < found.length; segment++) {
      BlockDirectory directory = directories[segment];
      long[] listed = new long[directory.entries()];
      int count = 0;
      for (int entry = 0; entry < directory.entries(); entry++) {
        if (plausible(directory, entry, segment)) {
          int region = region(directory.offset(entry));
          if (segmentOf[region] < 0) {
            segmentOf[region] = segment;
          }
          if (segmentOf[region] == segment) {
            listed[count++] = (directory.offset(entry) >> 3) << Integer.SIZE | entry;
            continue;
          }
        }
        if (!directory.empty(entry)) {
          directory.clear(entry);
        }
      }
      found[segment] = Arrays.copyOf(listed, count);
      Arrays.sort(found[segment]);
    }
    for (int region = 0; region < present; region++) {
      if (segmentOf[region] < 0) {
        unwritten.add(region);
      }
    }
  }

  private int region(long offset) {
    return (int) (offset / layout.regionBytes());
  }

  private boolean plausible(BlockDirectory directory, int entry, int segment) {
    PayloadDigest digest = directory.digest(entry);
    long offset = directory.offset(entry);
    int length = directory.length(entry);
    return !directory.empty(entry)
        && (directory.version(entry) & 1) == 0
        && offset >= 0
        && offset % BLOCK_UNIT_BYTES == BLOCK_HEADER_BYTES
        && length >= BlockRecord.HEADER_BYTES
        && length <= layout.regionBytes() - BLOCK_HEADER_BYTES
        && region(offset) < present
        && region(offset) == region(offset + length - 1)
        && HotCache.segmentOf(digest.space(), digest.id(), layout.segments()) == segment;
  }

  Path path() {
    return path;
  }

  FileLayout layout() {
    return layout;
  }

  /** Returns the part of the file before the regions. */
  ByteBuffer front() {
    return front;
  }

  BlockDirectory directory(int segment) {
    return directories[segment];
  }

  /** Returns how many blocks of an earlier process were listed and wait to be taken. */
  synchronized int waitingBlocks() {
    int waiting = 0;
    for (int segment = 0; segment < found.length; segment++) {
      waiting += found[segment].length - foundNext[segment];
    }
    return waiting;
  }

  private long number(int at) {
    return (long) LONGS.getAcquire(front, at);
  }

  private void set(int at, long value) {
    LONGS.setVolatile(front, at, value);
  }

  /**
   * Records in the file that its owner lives.
   *
   * @param nowMillis epoch milliseconds
   */
  void used(long nowMillis) {
    set(FileLayout.LAST_USE_AT, nowMillis);
  }

  /** Publishes how many bytes neighbours can borrow. */
  void freeBytes(long bytes) {
    set(FileLayout.FREE_BYTES_AT, bytes);
  }

  /**
   * Returns whether the file still has all its bytes. If not, mapped memory must not be touched any
   * more.
   */
  synchronized boolean whole() throws IOException {
    return channel().size() >= layout.fileBytes(present);
  }

  /** Returns the channel, opened again if the interrupt of a thread that used it has closed it. */
  private FileChannel channel() throws IOException {
    if (!channel.isOpen() && !closed) {
      channel =
          FileChannel.open(
              path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }
    return channel;
  }

  /** A region and its bytes. */
  record Region(int number, ByteBuffer bytes) {}

  /**
   * Returns a region without blocks; null if the interrupt of a thread has closed the file, which
   * the next call opens again.
   *
   * @throws OutOfMemoryError if the file system has no memory for a region
   */
  synchronized @Nullable Region take() {
    try {
      Integer known = free.poll();
      if (known != null) {
        return mapped(known);
      }
      Integer old = unwritten.peek();
      if (old == null && present == layout.regions()) {
        old = giveUpFound();
      }
      int region = old == null ? present : old;
      write(ByteBuffer.allocate(layout.regionBytes()), layout.regionOffset(region));
      if (old == null) {
        present++;
        set(FileLayout.PRESENT_REGIONS_AT, present);
      } else {
        unwritten.remove(old);
      }
      return mapped(region);
    } catch (ClosedChannelException interrupted) {
      LOG.debug("{} was closed by an interrupt, it grows later", path, interrupted);
      return null;
    } catch (IOException full) {
      OutOfMemoryError none =
          new OutOfMemoryError(
              full.getCause() instanceof OutOfMemoryError ? cannotMap(full) : isFull(full));
      none.initCause(full);
      throw none;
    }
  }

  private String cannotMap(IOException failed) {
    return String.format(
        Locale.ROOT,
        "%s: %,d bytes cannot be mapped (%s); raise vm.max_map_count (sysctl) or the limit of the"
            + " process for virtual memory (ulimit -v), or lower memory.hot-bytes",
        path,
        layout.regionBytes(),
        failed.getMessage());
  }

  private String isFull(IOException full) {
    return String.format(
        Locale.ROOT,
        "%s cannot grow by %,d bytes (%s); give its file system more memory (in a container:"
            + " --shm-size, or a larger emptyDir of medium Memory), or lower memory.hot-bytes",
        path,
        layout.regionBytes(),
        full.getMessage());
  }

  /** Maps a region without blocks that was written; if that fails, the region stays free. */
  private Region mapped(int region) throws IOException {
    boolean done = false;
    try {
      Region mapped = new Region(region, map(region));
      done = true;
      return mapped;
    } finally {
      if (!done) {
        free.add(region);
      }
    }
  }

  /** Gives up the blocks of one region that was not taken yet, and returns the region. */
  private Integer giveUpFound() throws IOException {
    for (int segment = 0; segment < found.length; segment++) {
      int first = foundNext[segment];
      if (first < found[segment].length) {
        int region = region((found[segment][first] >>> Integer.SIZE) << 3);
        while (foundNext[segment] < found[segment].length
            && region((found[segment][foundNext[segment]] >>> Integer.SIZE) << 3) == region) {
          forget(segment, foundNext[segment]++, region);
        }
        unwritten.add(region);
        return region;
      }
    }
    throw new IOException("all " + layout.regions() + " regions are in use");
  }

  private void forget(int segment, int index, int region) {
    int entry = (int) found[segment][index];
    BlockDirectory directory = directories[segment];
    if (!directory.empty(entry) && region(directory.offset(entry)) == region) {
      directory.clear(entry);
    }
  }

  private ByteBuffer map(int region) throws IOException {
    return channel().map(MapMode.READ_WRITE, layout.regionOffset(region), layout.regionBytes());
  }

  private void write(ByteBuffer bytes, long at) throws IOException {
    long position = at;
    while (bytes.hasRemaining()) {
      position += channel().write(bytes, position);
    }
  }

  /** Takes back a region from which all blocks have gone. */
  synchronized void give(int region) {
    free.add(region);
  }

  /** A region with the blocks that were found in it. */
  record FoundRegion(int number, BlockListener.Found blocks) {}

  /**
   * Returns the next region with blocks of an earlier process; null if there is none, or if an
   * interrupt prevents reading now.
   */
  synchronized @Nullable FoundRegion nextFound(int segment) {
    while (foundNext[segment] < found[segment].length) {
      int from = foundNext[segment];
      int region = region((found[segment][from] >>> Integer.SIZE) << 3);
      int to = from;
      while (to < found[segment].length
          && region((found[segment][to] >>> Integer.SIZE) << 3) == region) {
        to++;
      }
      foundNext[segment] = to;
      try {
        FoundRegion next = read(segment, region, Arrays.copyOfRange(found[segment], from, to));
        if (next != null) {
          return next;
        }
        unwritten.add(region);
      } catch (ClosedChannelException interrupted) {
        LOG.debug("{} was closed by an interrupt, its blocks are taken later", path, interrupted);
        foundNext[segment] = from;
        return null;
      } catch (IOException unreadable) {
        for (int i = from; i < to; i++) {
          forget(segment, i, region);
        }
        unwritten.add(region);
        LOG.warn(
            "{}: region {} cannot be taken over, its blocks are given up",
            path,
            region,
            unreadable);
      }
    }
    return null;
  }

  /**
   * Reads a region, checks each block, and writes the same bytes back, so that the file system has
   * memory for all of them before they are mapped.
   */
  private @Nullable FoundRegion read(int segment, int region, long[] listed) throws IOException {
    byte[] bytes = new byte[layout.regionBytes()];
    ByteBuffer into = ByteBuffer.wrap(bytes);
    while (into.hasRemaining()) {
      if (channel().read(into, layout.regionOffset(region) + into.position()) < 0) {
        throw new IOException("the file ends in region " + region);
      }
    }
    BlockDirectory directory = directories[segment];
    int[] spaces = new int[listed.length];
    long[] ids = new long[listed.length];
    int[] offsets = new int[listed.length];
    int[] lengths = new int[listed.length];
    int count = 0;
    int end = 0;
    BitSet taken = new BitSet();
    for (long each : listed) {
      int entry = (int) each;
      long wholeOffset = (each >>> Integer.SIZE) << 3;
      if (directory.empty(entry) || directory.offset(entry) != wholeOffset) {
        continue;
      }
      int offset = (int) (wholeOffset - (long) region * layout.regionBytes());
      int length = directory.length(entry);
      PayloadDigest digest = directory.digest(entry);
      boolean apart = offset - BLOCK_HEADER_BYTES >= end;
      if (!apart
          || taken.get(entry)
          || !BlockRecord.holds(
              digest, Arrays.copyOfRange(bytes, offset, offset + length), length)) {
        directory.clear(entry);
        continue;
      }
      taken.set(entry);
      spaces[count] = digest.space();
      ids[count] = digest.id();
      offsets[count] = offset;
      lengths[count++] = length;
      end = (offset + length + BLOCK_UNIT_BYTES - 1) / BLOCK_UNIT_BYTES * BLOCK_UNIT_BYTES;
    }
    if (count == 0) {
      return null;
    }
    write(ByteBuffer.wrap(bytes), layout.regionOffset(region));
    return new FoundRegion(
        region,
        new BlockListener.Found(
            map(region),
            Arrays.copyOf(spaces, count),
            Arrays.copyOf(ids, count),
            Arrays.copyOf(offsets, count),
            Arrays.copyOf(lengths, count)));
  }

  /**
   * Leaves the file, with its blocks, to the next process. After this call nothing must be written
   * to the file.
   */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    try (OwnerLock released = lock) {
      channel.close();
    }
  }
}
