package io.idlalayer.benchmarks.campaign.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Faults of clock and disk in one process, by a library that is loaded before all others. */
public final class Shim {
  public static final int EIO = 5;
  public static final int ENOSPC = 28;
  public static final int EROFS = 30;
  private static final int BYTES = 4096;

  private final Path library;
  private final Path file;
  private final Path prefix;
  private final MappedByteBuffer control;

  private Shim(Path library, Path file, Path prefix) throws IOException {
    this.library = library;
    this.file = file;
    this.prefix = prefix;
    Files.write(file, new byte[BYTES]);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      control = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
    }
    control.order(ByteOrder.nativeOrder());
  }

  /** Compiles the library; empty, with a word on the console, where there is no C compiler. */
  public static Optional<Path> compile(Path folder) throws IOException, InterruptedException {
    Path library = folder.resolve("shim.so");
    if (Files.exists(library)) {
      return Optional.of(library);
    }
    Path source = folder.resolve("shim.c");
    try (InputStream in = Shim.class.getResourceAsStream("/campaign/shim.c")) {
      Files.write(source, Objects.requireNonNull(in).readAllBytes());
    }
    try {
      Process compiler =
          new ProcessBuilder(
                  "cc",
                  "-shared",
                  "-fPIC",
                  "-O2",
                  "-o",
                  library.toString(),
                  source.toString(),
                  "-ldl")
              .inheritIO()
              .start();
      boolean done = compiler.waitFor(60, TimeUnit.SECONDS) && compiler.exitValue() == 0;
      return done ? Optional.of(library) : Optional.empty();
    } catch (IOException missing) {
      return Optional.empty();
    }
  }

  /**
   * Control of one process.
   *
   * @param prefix where writes fail when they are told to
   */
  public static Shim of(Path library, Path file, Path prefix) throws IOException {
    return new Shim(library, file, prefix);
  }

  public Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "IDLA_SHIM", file.toString(),
        "IDLA_SHIM_PREFIX", prefix.toString());
  }

  public void clock(long offsetSeconds) {
    control.putLong(0, offsetSeconds * 1_000_000_000L);
  }

  public void slowSync(long millis) {
    control.putLong(8, millis);
  }

  public void failWrites(int errno) {
    control.putLong(16, errno);
  }

  /** Calls that were delayed or failed. */
  public long delivered() {
    return control.getLong(24);
  }
}
