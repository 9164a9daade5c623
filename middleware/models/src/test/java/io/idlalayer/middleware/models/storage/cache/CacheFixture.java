package io.idlalayer.middleware.models.storage.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** A folder of a cache. */
abstract class CacheFixture {
  static final int BLOCK = CopyFormat.BLOCK_BYTES;
  static final long LARGE = 1L << 30;

  @TempDir Path parent;
  final FakePauses pauses = new FakePauses();
  final AtomicLong nowMillis = new AtomicLong(1_000_000);

  VersionCache cache(long mostBytes, CacheOperations operations) {
    return new VersionCache(
        new VersionCacheSettings(parent, mostBytes, Duration.ofMinutes(10)),
        () -> Instant.ofEpochMilli(nowMillis.get()),
        pauses,
        operations);
  }

  /** A cache as another process has one. */
  VersionCache cache() {
    return cache(LARGE, CacheOperations.system());
  }

  static InputStream open(VersionCache cache, CountedFile file) throws IOException {
    return cache.open(file.file, "source/model.zip", file, 0, true);
  }

  /** Reads a file to its end and compares it. */
  static void assertReads(VersionCache cache, CountedFile file) throws IOException {
    try (InputStream in = open(cache, file)) {
      assertThat(in.readAllBytes()).isEqualTo(file.content);
    }
  }

  /** The folder of this user. */
  Path folder() throws IOException {
    return CacheFolder.open(parent).path();
  }

  Path copy(CountedFile file) throws IOException {
    return folder().resolve(file.name().copy());
  }

  Path part(CountedFile file) throws IOException {
    return folder().resolve(file.name().part());
  }

  /** The names of all files in the folder, sorted. */
  List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  void assertNoParts() throws IOException {
    assertThat(names()).noneMatch(name -> name.endsWith(".part"));
  }
}
