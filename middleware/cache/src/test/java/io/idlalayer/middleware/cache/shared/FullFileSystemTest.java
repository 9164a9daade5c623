package io.idlalayer.middleware.cache.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import io.idlalayer.testkit.MemoryFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cache on a file system in memory of 4 MiB. Skipped where this user may not mount one. */
class FullFileSystemTest {
  private static final String CLUSTER = "one";
  private static final long MIB = 1 << 20;

  @TempDir Path parent;
  private @Nullable MemoryFileSystem mounted;

  @BeforeEach
  void mount() throws InterruptedException {
    mounted = MemoryFileSystem.mount(parent, 4 * MIB).orElse(null);
    assumeTrue(mounted != null, "this user may not mount a file system");
  }

  @AfterEach
  void unmount() throws IOException, InterruptedException {
    if (mounted != null) {
      mounted.close();
    }
  }

  private SharedHotCache open(long ceiling) throws IOException {
    return new SharedHotCache(parent, CLUSTER, new CacheSettings(ceiling, PolicyName.LRU), 1);
  }

  private static void fill(SharedHotCache cache, CacheOwner owner, int blocks) {
    byte[] payload = new byte[1000];
    for (int i = 0; i < blocks; i++) {
      payload[i % 1000]++;
      PayloadDigest digest = cache.put(owner, payload, Reuse.NEAR);
      byte[] found = cache.get(owner, digest);
      assertThat(found == null || java.util.Arrays.equals(found, payload)).isTrue();
    }
  }

  @Test
  void open_onSmallerFileSystem_saysTheNumbers() {
    assertThatThrownBy(() -> open(8 * MIB))
        .isInstanceOf(UnusableFileException.class)
        .hasMessageContaining("4,194,304 bytes")
        .hasMessageContaining("--shm-size")
        .hasMessageContaining("memory.hot-bytes");
  }

  @Test
  void put_whenFileSystemIsFull_staysAtItsSize() throws IOException {
    Files.write(parent.resolve("other"), new byte[(int) (2 * MIB)]);
    try (SharedHotCache cache = open(3 * MIB)) {
      CacheOwner owner = cache.hot().attach("a/0", 3 * MIB);
      fill(cache, owner, 6000);
      long present = cache.hot().stats().regionBytes();
      assertThat(present).isBetween(MIB / 2, 2 * MIB);

      Files.delete(parent.resolve("other"));
      cache.hot().resize(owner, 3 * MIB);
      fill(cache, owner, 6000);
      assertThat(cache.hot().stats().regionBytes()).isGreaterThan(present);
    }
  }

  @Test
  void open_onFullFileSystem_isRefused() throws IOException {
    try (var out = Files.newOutputStream(parent.resolve("other"))) {
      byte[] zeros = new byte[4096];
      for (int i = 0; i < 1021; i++) {
        out.write(zeros);
      }
    }
    assertThatThrownBy(() -> open(3 * MIB)).hasMessageContaining("more memory");
    Files.delete(parent.resolve("other"));
    open(3 * MIB).close();
  }

  @Test
  void open_ofSparseFile_isNoFault() throws IOException, InterruptedException {
    try (SharedHotCache cache = open(3 * MIB)) {
      fill(cache, cache.hot().attach("a/0", 3 * MIB), 6000);
    }
    Path file;
    try (var all = Files.walk(parent)) {
      file = all.filter(path -> path.toString().endsWith("-0.cache")).findFirst().orElseThrow();
    }
    long size = Files.size(file);
    // The front stays, all regions become holes, and the file system is full.
    assertThat(
            MemoryFileSystem.run(
                "fallocate", "-p", "-o", "900000", "-l", "" + size, file.toString()))
        .isTrue();
    try (var out = Files.newOutputStream(parent.resolve("other"))) {
      byte[] zeros = new byte[4096];
      for (int i = 0; i < 2000; i++) {
        out.write(zeros);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
    try (SharedHotCache cache = open(3 * MIB)) {
      CacheOwner owner = cache.hot().attach("a/0", 3 * MIB);
      fill(cache, owner, 3000);
      assertThat(cache.hot().stats().regionBytes()).isLessThan(MIB);
    }
  }
}
