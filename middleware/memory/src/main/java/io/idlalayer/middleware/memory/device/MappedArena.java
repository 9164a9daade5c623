package io.idlalayer.middleware.memory.device;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jdk.nio.mapmode.ExtendedMapMode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An arena in a mapped file, in pieces because a mapping must be smaller than 2 GiB. On a DAX mount
 * the mapping is synchronous, elsewhere it is an ordinary shared one. The file has no name once it
 * is open, so a killed process leaves nothing behind. Closing truncates the file, so its blocks
 * return to the file system at once; the address space is freed when the garbage collector has
 * collected the last view. Using a view after the close fails.
 */
public final class MappedArena implements Arena {
  private static final Logger LOG = LoggerFactory.getLogger(MappedArena.class);
  private static final int ZEROS = 1 << 20;

  private final Pieces pieces;
  private final String description;
  private final boolean synchronous;
  private final FileChannel file;
  private final @Nullable DirectFile direct;

  /**
   * The settings for dividing and preparing the file of a mapped arena.
   *
   * @param pieceBytes size of one mapping: at most 1 GiB, a multiple of the device's alignment
   * @param preallocate whether the file is written once at the start, so that a full file system is
   *     noticed then and not by a crash at a later memory access
   */
  public record Options(int pieceBytes, boolean preallocate) {
    /** Default options: pieces of 1 GiB, all of whose bytes are written once before use. */
    public static final Options DEFAULT = new Options(1 << 30, true);
  }

  /**
   * Creates and maps a file in a directory, and deletes the file's name at once.
   *
   * @param directory must exist and have room
   * @throws DeviceFailureException if the file cannot be made or mapped
   */
  public MappedArena(DeviceSpec spec, Path directory, Options options) {
    pieces = new Pieces(spec, options.pieceBytes());
    try {
      Opened opened = UnnamedFile.create(spec, directory, MappedArena::open);
      file = opened.file();
      direct = opened.direct();
      synchronous = mapped(options);
      description =
          "%s file mapped in %s".formatted(synchronous ? "synchronous DAX" : "ordinary", directory);
    } catch (IOException e) {
      pieces.clear();
      throw new DeviceFailureException(
          "device %s: no file of %,d bytes could be mapped in %s: %s"
              .formatted(spec.name(), spec.capacityBytes(), directory, e.getMessage()),
          e);
    }
  }

  private record Opened(FileChannel file, @Nullable DirectFile direct) {}

  private static Opened open(Path file) throws IOException {
    FileChannel mapped = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return new Opened(mapped, DirectFile.openIfPossible(file));
  }

  private boolean mapped(Options options) throws IOException {
    boolean done = false;
    try {
      size(file, options.preallocate());
      boolean dax = map(file);
      done = true;
      return dax;
    } finally {
      if (!done) {
        closeDirect();
        file.close();
      }
    }
  }

  private void size(FileChannel channel, boolean preallocate) throws IOException {
    long capacity = pieces.capacityBytes();
    if (!preallocate) {
      channel.write(ByteBuffer.allocate(1), capacity - 1);
      return;
    }
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZEROS, capacity));
    long at = 0;
    while (at < capacity) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), capacity - at));
      at += channel.write(zeros, at);
    }
  }

  /** Maps all pieces of the file. Returns whether the mapping is synchronous. */
  private boolean map(FileChannel channel) throws IOException {
    try {
      mapAs(channel, ExtendedMapMode.READ_WRITE_SYNC);
      return true;
    } catch (IOException | UnsupportedOperationException notDax) {
      mapAs(channel, FileChannel.MapMode.READ_WRITE);
      return false;
    }
  }

  private void mapAs(FileChannel channel, FileChannel.MapMode mode) throws IOException {
    for (int i = 0; i < pieces.count(); i++) {
      long at = (long) i * pieces.pieceBytes();
      pieces.set(i, channel.map(mode, at, pieces.bytesOf(i)).order(ByteOrder.nativeOrder()));
    }
  }

  @Override
  public long capacityBytes() {
    return pieces.capacityBytes();
  }

  @Override
  public long pieceBytes() {
    return pieces.pieceBytes();
  }

  @Override
  public ByteBuffer view(long offset, int bytes) {
    return pieces.view(offset, bytes);
  }

  @Override
  public boolean cached() {
    return !synchronous;
  }

  @Override
  public @Nullable DirectFile directFile() {
    return direct;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public void close() {
    pieces.clear();
    if (!file.isOpen()) {
      return;
    }
    closeDirect();
    try (file) {
      file.truncate(0);
    } catch (IOException e) {
      // The bytes are of no use any more; their blocks go with the last mapping.
      LOG.warn(
          "the file could not be truncated; the disk blocks of the {} are freed later: {}",
          description,
          e.getMessage());
    }
  }

  private void closeDirect() {
    if (direct != null) {
      try {
        direct.close();
      } catch (IOException e) {
        LOG.warn("the file of a mapped arena could not be closed: {}", e.getMessage());
      }
    }
  }
}
