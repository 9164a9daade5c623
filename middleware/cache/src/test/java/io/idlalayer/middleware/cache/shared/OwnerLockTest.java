package io.idlalayer.middleware.cache.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnerLockTest {
  @TempDir Path directory;
  private OwnedPaths owned;
  private Path cacheFile;
  private Path lockFile;

  @BeforeEach
  void open() throws IOException {
    owned = new OwnedPaths(directory);
    cacheFile = directory.resolve("a.cache");
    lockFile = directory.resolve("a.cache.lock");
  }

  @Test
  void take_whileHeld_isNull() throws IOException {
    try (OwnerLock held = OwnerLock.take(cacheFile, owned)) {
      assertThat(held).isNotNull();
      assertThat(OwnerLock.take(cacheFile, owned)).isNull();
    }
    try (OwnerLock again = OwnerLock.take(cacheFile, owned)) {
      assertThat(again).isNotNull();
    }
  }

  @Test
  void take_afterDeletion_makesNewFile() throws IOException {
    try (OwnerLock held = OwnerLock.take(cacheFile, owned)) {
      assertThat(held).isNotNull();
      held.delete();
      assertThat(lockFile).doesNotExist();
    }
    try (OwnerLock again = OwnerLock.take(cacheFile, owned)) {
      assertThat(again).isNotNull();
      assertThat(lockFile).exists();
    }
  }

  @Test
  void take_throughLink_isRefused() throws IOException {
    Path target = directory.resolve("target");
    Files.createSymbolicLink(lockFile, target);
    assertThatThrownBy(() -> OwnerLock.take(cacheFile, owned))
        .isInstanceOf(ForeignFileException.class);
    assertThat(target).doesNotExist();
  }
}
