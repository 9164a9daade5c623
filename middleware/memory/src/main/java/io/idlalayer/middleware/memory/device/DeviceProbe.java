package io.idlalayer.middleware.memory.device;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the bandwidths and latencies of an arena. The bandwidths come from sequential copies to
 * and from a buffer in the processor's cache, the latencies from a chain of dependent accesses at
 * random places. A random write reads its place first, and both count. A file is measured past the
 * page cache if its file system allows that, or if it is used so. Overwrites bytes of the arena.
 *
 * @param bytes that a pass covers; should exceed the processor's cache, which is measured otherwise
 * @param repeats passes, of which the median counts
 * @param nanoTime the time, in nanoseconds
 */
public record DeviceProbe(long bytes, int repeats, LongSupplier nanoTime) {
  /** Default measurement, with five passes over 1 GiB. */
  public static final DeviceProbe DEFAULT = new DeviceProbe(1L << 30, 5, System::nanoTime);

  private static final Logger LOG = LoggerFactory.getLogger(DeviceProbe.class);
  private static final int SCRATCH_BYTES = 1 << 18;
  private static final int ACCESSES = 20_000;
  private static final int GRANULE_BYTES = 64;
  private static final double NANOS_PER_SECOND = 1e9;

  public DeviceProbe {
    if (bytes < Long.BYTES || repeats < 1) {
      throw new IllegalArgumentException(
          "%d passes over %d bytes; at least 1 and 8 are needed".formatted(repeats, bytes));
    }
  }

  /** The way by which the probe reached a device's bytes. */
  public enum ProbePath {
    /** Measured by loads and stores that reach the medium: DRAM, or a file on a DAX mount. */
    MEMORY("by loads and stores"),
    /** Measured on a file past the page cache, at the speed of the medium. */
    DIRECT("past the page cache"),
    /**
     * Measured on a mapped file in the page cache, because its file system allows nothing else; the
     * result is the speed of DRAM.
     */
    PAGE_CACHE("in the page cache");

    private final String words;

    ProbePath(String words) {
      this.words = words;
    }

    /** Returns words that complete "measured ..." in a line of text. */
    public String words() {
      return words;
    }
  }

  /**
   * The measured speed of an arena, and the way by which it was measured.
   *
   * @param speed speed that one thread reaches
   * @param path access path by which it was measured
   */
  public record Result(DeviceSpeed speed, ProbePath path) {}

  private interface Pass {
    long run();
  }

  /**
   * Measures the read and write bandwidths and latencies of an arena. Overwrites the arena's first
   * bytes.
   */
  public Result measure(Arena arena) {
    boolean viewed = arena.places().anyDirect();
    if (viewed && !arena.cached()) {
      return new Result(mapped(arena), ProbePath.MEMORY);
    }
    long covered = Math.min(bytes, arena.capacityBytes());
    DirectFile file = arena.directFile();
    if (file != null && covered >= file.blockBytes()) {
      try {
        DirectProbe probe = new DirectProbe(file, covered, repeats, nanoTime);
        return new Result(probe.measure(), ProbePath.DIRECT);
      } catch (ClosedByInterruptException interrupted) {
        throw new DeviceFailureException(
            arena.description() + ": the measurement was interrupted", interrupted);
      } catch (IOException refused) {
        if (!viewed) {
          throw new DeviceFailureException(
              "%s cannot be measured: %s".formatted(arena.description(), refused.getMessage()),
              refused);
        }
        LOG.warn("{} cannot be measured past the page cache", arena.description(), refused);
      }
    }
    if (!viewed) {
      throw new IllegalArgumentException(
          "%s has %,d bytes, and no file that could be measured"
              .formatted(arena.description(), arena.capacityBytes()));
    }
    return new Result(mapped(arena), ProbePath.PAGE_CACHE);
  }

  private DeviceSpeed mapped(Arena arena) {
    long covered = Math.min(bytes, arena.capacityBytes());
    byte[] scratch = new byte[SCRATCH_BYTES];
    Arrays.fill(scratch, (byte) 1);
    double writes = median(() -> sequential(arena, covered, scratch, true));
    double reads = median(() -> sequential(arena, covered, scratch, false));
    long readLatency = Math.round(median(() -> random(arena, covered, false)) / ACCESSES);
    long writeLatency = Math.round(median(() -> random(arena, covered, true)) / ACCESSES);
    return new DeviceSpeed(
        covered / reads * NANOS_PER_SECOND,
        covered / writes * NANOS_PER_SECOND,
        readLatency,
        writeLatency,
        GRANULE_BYTES,
        Runtime.getRuntime().availableProcessors());
  }

  private double median(Pass pass) {
    long[] nanos = new long[repeats];
    for (int i = 0; i < repeats; i++) {
      long start = nanoTime.getAsLong();
      pass.run();
      nanos[i] = Math.max(1, nanoTime.getAsLong() - start);
    }
    Arrays.sort(nanos);
    return nanos[repeats / 2];
  }

  private static long sequential(Arena arena, long covered, byte[] scratch, boolean write) {
    long at = 0;
    while (at < covered) {
      long inPiece = arena.pieceBytes() - at % arena.pieceBytes();
      int length = (int) Math.min(scratch.length, Math.min(inPiece, covered - at));
      ByteBuffer view = arena.view(at, length);
      if (write) {
        view.put(0, scratch, 0, length);
      } else {
        view.get(0, scratch, 0, length);
      }
      at += length;
    }
    return scratch[0];
  }

  private static long random(Arena arena, long covered, boolean write) {
    int piece = (int) Math.min(covered, arena.pieceBytes());
    ByteBuffer view = arena.view(0, piece);
    SplittableRandom random = new SplittableRandom(1);
    long seen = 0;
    for (int i = 0; i < ACCESSES; i++) {
      // Depends on what was read, so that neither loads nor stores overlap.
      int at =
          (int) ((random.nextInt(piece - Long.BYTES + 1) + (seen & 1)) % (piece - Long.BYTES + 1));
      long value = view.getLong(at);
      seen += value;
      if (write) {
        view.putLong(at, value + 1);
      }
    }
    return seen;
  }
}
