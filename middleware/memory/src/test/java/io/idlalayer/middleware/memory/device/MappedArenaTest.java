package io.idlalayer.middleware.memory.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idlalayer.middleware.memory.object.Tiers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MappedArenaTest extends ArenaContract {
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  @TempDir Path directory;

  @Override
  Arena open(DeviceSpec spec, int pieceBytes) {
    return new MappedArena(spec, directory, new MappedArena.Options(pieceBytes, true));
  }

  @Test
  void open_leavesNoFileWithAName() {
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void close_freesTheFilesBlocks() throws IOException {
    assumeTrue(Files.isDirectory(OPEN_FILES));
    Path own = Files.createDirectory(directory.resolve("own"));
    MappedArena arena = new MappedArena(Tiers.slow(1 << 20), own, MappedArena.Options.DEFAULT);
    ByteBuffer view = arena.view(0, 64);
    view.putLong(0, 7);
    // The file has no name, but the process has it open.
    try (FileChannel file = FileChannel.open(open(own))) {
      assertThat(file.size()).isEqualTo(1 << 20);
      arena.close();
      assertThat(file.size()).isZero();
    }
    assertThatThrownBy(() -> arena.view(0, 64)).isInstanceOf(StaleRegionException.class);
    arena.close();
  }

  private static Path open(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(OPEN_FILES)) {
      return files
          .filter(file -> target(file).startsWith(directory + "/idla-arena-"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return "";
    }
  }
}
