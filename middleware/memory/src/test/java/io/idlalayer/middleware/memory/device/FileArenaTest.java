package io.idlalayer.middleware.memory.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idlalayer.middleware.memory.device.DeviceProbe.ProbePath;
import io.idlalayer.middleware.memory.object.Tiers;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real file past the page cache; skipped if the temporary folder allows none. */
final class FileArenaTest extends ArenaCopyContract {
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");
  private static final Path RAM_DISK = Path.of("/dev/shm");

  @TempDir Path directory;

  @Override
  Arena open(DeviceSpec spec, int pieceBytes) {
    try {
      FileArena.check(directory);
    } catch (IOException refused) {
      assumeTrue(false, refused.getMessage());
    }
    return new FileArena(spec, directory);
  }

  @Test
  void bytes_haveNoView_andTheMediumIsNamed() {
    assertThat(arena().places().anyDirect()).isFalse();
    assertThat(arena().cached()).isFalse();
    assertThat(arena().description()).isEqualTo("file past the page cache in " + directory);
    assertThatThrownBy(() -> arena().view(0, 1))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("can only be copied");
  }

  @Test
  void copies_ofMoreThanABuffer_areWhole() {
    long capacity = 5 << 20;
    try (Arena large = new FileArena(Tiers.slow(capacity), directory)) {
      ByteBuffer source = bytes(3, (4 << 20) + 77);
      long at = 4099;
      while (source.hasRemaining()) {
        at += large.put(at, source);
      }
      assertThat(copy(large, 4099, source.capacity())).isEqualTo(source.flip());
    }
  }

  @Test
  void open_leavesNoFileWithAName() {
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void close_freesTheFilesBlocks() throws IOException {
    assumeTrue(Files.isDirectory(OPEN_FILES));
    Path own = Files.createDirectory(directory.resolve("own"));
    FileArena arena = new FileArena(Tiers.slow(1 << 20), own);
    try (FileChannel file = FileChannel.open(opened(own).get(0))) {
      assertThat(file.size()).isEqualTo(1 << 20);
      arena.close();
      assertThat(file.size()).isZero();
    }
    assertThat(opened(own)).as("open files").isEmpty();
  }

  private static List<Path> opened(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(OPEN_FILES)) {
      return files.filter(file -> target(file).startsWith(directory + "/idla-arena-")).toList();
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void open_onARamDisk_isRefusedWithTheReason() throws IOException {
    assumeTrue(
        Files.isWritable(RAM_DISK) && Files.getFileStore(RAM_DISK).type().equals("tmpfs"),
        "no RAM disk");
    assertThatThrownBy(() -> new FileArena(Tiers.slow(1 << 16), RAM_DISK))
        .isInstanceOf(DeviceFailureException.class)
        .hasMessageContaining("no file of 65,536 bytes past the page cache could be made")
        .hasMessageContaining("type tmpfs is DRAM");
    assertThatThrownBy(() -> FileArena.check(RAM_DISK)).hasMessageContaining("tmpfs");
  }

  @Test
  void open_withoutRoomOrDirectory_isRefused() {
    assertThatThrownBy(() -> new FileArena(Tiers.slow(1L << 60), directory))
        .isInstanceOf(DeviceFailureException.class)
        .hasMessageContaining("has room for");
    assertThatThrownBy(() -> new FileArena(Tiers.slow(64), directory.resolve("absent")))
        .isInstanceOf(DeviceFailureException.class)
        .hasMessageContaining("absent");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void open_byAnInterruptedThread_endsWithTheInterrupt() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> new FileArena(Tiers.slow(1 << 16), directory))
          .isInstanceOf(DeviceFailureException.class)
          .hasCauseInstanceOf(ClosedByInterruptException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void copies_ofAnInterruptedThread_areMadeAndTheInterruptStays() {
    Thread.currentThread().interrupt();
    arena().put(100, bytes(1, 50));
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThat(copy(arena(), 100, 50)).isEqualTo(bytes(1, 50));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(copy(arena(), 100, 50)).as("the file is open").isEqualTo(bytes(1, 50));
  }

  @Test
  void measure_file_isPastThePageCache() {
    DeviceSpec spec = Tiers.slow(CAPACITY_BYTES);
    DeviceProfile profile =
        DeviceProfile.measure(spec, arena(), new DeviceProbe(1 << 20, 1, System::nanoTime));
    assertThat(profile.measured().path()).isEqualTo(ProbePath.DIRECT);
    assertThat(profile.line()).contains("file past the page cache in", "measured past the page");
    assertThat(profile.speed().readBytesPerSecond()).isPositive();
  }

  @Test
  void arenas_openedAndClosed_leaveNoNativeMemory() {
    long before = directBytes();
    for (int i = 0; i < 50; i++) {
      try (Arena arena = new FileArena(Tiers.slow(1 << 21), directory)) {
        arena.put(1, bytes(i, 1 << 20));
        assertThat(copy(arena, 1, 4)).isEqualTo(bytes(i, 4));
      }
    }
    await()
        .atMost(Tiers.PATIENCE)
        .until(
            () -> {
              System.gc();
              return directBytes() < before + (4 << 20);
            });
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
