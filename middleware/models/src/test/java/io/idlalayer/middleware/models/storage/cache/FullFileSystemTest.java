package io.idlalayer.middleware.models.storage.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idlalayer.testkit.MemoryFileSystem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A cache on a file system in memory of 2 MiB. Skipped where this user may not mount one. */
final class FullFileSystemTest extends CacheFixture {
  private @Nullable MemoryFileSystem mounted;

  @BeforeEach
  void mount() throws InterruptedException {
    mounted = MemoryFileSystem.mount(parent, 2L << 20).orElse(null);
    assumeTrue(mounted != null, "this user may not mount a file system");
  }

  @AfterEach
  void unmount() throws IOException, InterruptedException {
    if (mounted != null) {
      mounted.close();
    }
  }

  @Test
  void copies_ofMoreThanTheFileSystemHolds_replaceEachOther() throws IOException {
    VersionCache cache = cache();
    for (int i = 0; i < 6; i++) {
      nowMillis.addAndGet(1_000);
      CountedFile file = CountedFile.of(i, 3 * BLOCK);
      assertReads(cache, file);
      assertReads(cache, file);
      assertThat(file.opens).as("file %d", i).hasValue(1);
    }
    assertThat(names()).hasSize(2);
    CountedFile large = CountedFile.of(9, 9 * BLOCK);
    assertReads(cache, large);
    assertThat(names()).hasSize(2);
  }

  @Test
  void fileSystem_becomesFullWhileACopyIsWritten_costsOnlyTheCopy() throws IOException {
    CountedFile file = CountedFile.of(1, 6 * BLOCK);
    Path other = parent.resolve("other");
    try (InputStream in = open(cache(), file)) {
      byte[] read = new byte[file.content.length];
      assertThat(in.readNBytes(read, 0, BLOCK)).isEqualTo(BLOCK);
      fill(other);
      assertThat(in.readNBytes(read, BLOCK, read.length - BLOCK)).isEqualTo(read.length - BLOCK);
      assertThat(read).isEqualTo(file.content);
    }
    assertThat(names()).isEmpty();
    assertReads(cache(), file);
    Files.delete(other);
    assertReads(cache(), file);
    assertThat(names()).containsExactly(file.name().copy());
  }

  private static void fill(Path file) throws IOException {
    byte[] page = new byte[4_096];
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < 1_000; i++) {
        out.write(page);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }
}
