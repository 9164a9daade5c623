package io.idlalayer.middleware.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MappedArenaTest extends ArenaContract {
  @TempDir Path directory;

  @Override
  Arena open(DeviceSpec spec, int pieceBytes) {
    return new MappedArena(spec, directory, new MappedArena.Options(pieceBytes, true));
  }

  @Test
  void open_leavesNoFileWithAName() {
    assertThat(directory).isEmptyDirectory();
  }
}
