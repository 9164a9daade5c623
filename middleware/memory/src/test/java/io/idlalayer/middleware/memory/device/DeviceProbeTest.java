package io.idlalayer.middleware.memory.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idlalayer.middleware.memory.device.DeviceProbe.ProbePath;
import io.idlalayer.middleware.memory.object.Tiers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DeviceProbeTest {
  private static final long CAPACITY = 4 << 20;
  private static final long PASS_NANOS = 1_000_000;

  @TempDir Path directory;

  private final AtomicLong now = new AtomicLong();
  private final DeviceProbe probe = new DeviceProbe(1 << 20, 3, () -> now.getAndAdd(PASS_NANOS));

  private MappedArena file() {
    return new MappedArena(Tiers.slow(CAPACITY), directory, MappedArena.Options.DEFAULT);
  }

  @Test
  void measure_mappedFile_goesPastThePageCache() {
    try (MappedArena arena = file()) {
      assumeTrue(arena.cached() && arena.directFile() != null, "the file system lets nobody past");
      DeviceProbe.Result result = probe.measure(arena);
      assertThat(result.path()).isEqualTo(ProbePath.DIRECT);
      assertThat(result.speed().readBytesPerSecond()).isCloseTo((1 << 20) / 1e-3, offset(1.0));
      assertThat(result.speed().readLatencyNanos()).isEqualTo(PASS_NANOS / 64);
      assertThat(DeviceProfile.measure(Tiers.slow(CAPACITY), arena, probe).line())
          .endsWith("measured past the page cache");
      // It is one file: the mapping sees what was written past it, and continues to work.
      ByteBuffer view = arena.view(1 << 20, 8);
      view.putLong(0, 7);
      assertThat(arena.view(1 << 20, 8).getLong(0)).isEqualTo(7);
    }
  }

  @Test
  void measure_fileSystemThatRefuses_takesTheMappingAndSaysSo() throws Exception {
    try (MappedArena arena = file()) {
      assumeTrue(arena.cached() && arena.directFile() != null);
      Objects.requireNonNull(arena.directFile()).close();
      DeviceProbe.Result result = probe.measure(arena);
      assertThat(result.path()).isEqualTo(ProbePath.PAGE_CACHE);
      assertThat(result.speed().writeBytesPerSecond()).isCloseTo((1 << 20) / 1e-3, offset(1.0));
    }
  }

  @Test
  void measure_lessThanABlock_takesTheMapping() {
    DeviceSpec little = Tiers.slow(100);
    try (MappedArena arena = new MappedArena(little, directory, MappedArena.Options.DEFAULT)) {
      assumeTrue(arena.cached());
      assertThat(probe.measure(arena).path()).isEqualTo(ProbePath.PAGE_CACHE);
    }
  }

  @Test
  void measure_fileInARamDisk_hasNothingPastTheCache() throws Exception {
    Path disk = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(disk) && Files.getFileStore(disk).type().equals("tmpfs"));
    try (MappedArena arena =
        new MappedArena(Tiers.slow(CAPACITY), disk, MappedArena.Options.DEFAULT)) {
      assertThat(probe.measure(arena).path()).isEqualTo(ProbePath.PAGE_CACHE);
    }
  }

  @Test
  void measure_dram_isByLoadsAndStores() {
    assertThat(probe.measure(new DirectArena(Tiers.fast(CAPACITY))).path())
        .isEqualTo(ProbePath.MEMORY);
  }

  /** Else stores would not wait for each other. */
  @Test
  void measure_randomWrites_writeWhatTheyHaveRead() {
    DirectArena arena = new DirectArena(Tiers.fast(Long.BYTES));
    new DeviceProbe(Long.BYTES, 3, System::nanoTime).measure(arena);
    assertThat(arena.view(0, Long.BYTES).getLong(0)).isEqualTo(0x0101010101010101L + 3 * 20_000);
  }
}
