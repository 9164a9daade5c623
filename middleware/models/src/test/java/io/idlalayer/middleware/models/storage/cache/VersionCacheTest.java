package io.idlalayer.middleware.models.storage.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Who reads the source, and what stays in the folder. */
final class VersionCacheTest extends CacheFixture {
  private final CountedFile file = CountedFile.of(1, 3 * BLOCK + 17);

  @Test
  void read_byFurtherCaches_readsTheSourceOnce() throws IOException {
    VersionCache first = cache();
    assertReads(first, file);
    VersionCache second = cache();
    assertReads(second, file);
    assertReads(second, file);
    assertThat(file.opens).hasValue(1);
    assertThat(file.bytes).hasValue(file.content.length);
    assertThat(first.counts()).isEqualTo(new VersionCache.Counts(0, 1, file.content.length));
    assertThat(second.counts()).isEqualTo(new VersionCache.Counts(2, 0, 0));
    assertThat(names()).containsExactly(file.name().copy());
  }

  @Test
  void read_byReadersOfOneCache_isDrivenByTheFastest() throws IOException {
    VersionCache cache = cache();
    byte[] slow = new byte[file.content.length];
    try (InputStream behind = open(cache, file)) {
      assertThat(behind.readNBytes(slow, 0, 10)).isEqualTo(10);
      assertReads(cache, file);
      assertThat(behind.readNBytes(slow, 10, slow.length - 10)).isEqualTo(slow.length - 10);
      assertThat(behind.read()).isEqualTo(-1);
    }
    assertThat(slow).isEqualTo(file.content);
    assertThat(file.opens).hasValue(1);
    assertThat(cache.counts()).isEqualTo(new VersionCache.Counts(1, 1, file.content.length));
    assertThat(pauses.pauses).as("nobody waits in one cache").hasValue(0);
  }

  @Test
  void read_toTheLastByteOnly_completesTheCopy() throws IOException {
    try (InputStream in = open(cache(), file)) {
      assertThat(in.readNBytes(file.content.length)).isEqualTo(file.content);
    }
    assertThat(names()).containsExactly(file.name().copy());
  }

  @Test
  void read_givenUp_leavesNothing() throws IOException {
    try (InputStream in = open(cache(), file)) {
      assertThat(in.readNBytes(BLOCK)).hasSize(BLOCK);
      assertThat(names()).containsExactly(file.name().part());
    }
    assertThat(names()).isEmpty();
    assertReads(cache(), file);
    assertThat(file.opens).hasValue(2);
  }

  @Test
  void read_byManyThreadsAndCaches_readsEachFileOnce() throws Exception {
    List<CountedFile> files = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      files.add(CountedFile.of(i, i * 100_000));
    }
    List<VersionCache> caches = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      caches.add(
          new VersionCache(VersionCacheSettings.of(parent), java.time.InstantSource.system()));
    }
    int threads = 8;
    CyclicBarrier together = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Boolean>> done = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        VersionCache mine = caches.get(i % caches.size());
        Callable<Boolean> reads =
            () -> {
              for (CountedFile each : files) {
                together.await();
                assertReads(mine, each);
              }
              return true;
            };
        done.add(pool.submit(reads));
      }
      for (Future<Boolean> each : done) {
        assertThat(each.get()).isTrue();
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(files).allSatisfy(each -> assertThat(each.opens).hasValue(1));
    assertThat(names()).hasSize(files.size()).allMatch(name -> name.endsWith(".copy"));
  }

  @Test
  void open_missingFile_saysSoAndLeavesNothing() throws IOException {
    file.missing = true;
    assertThatThrownBy(() -> open(cache(), file)).isInstanceOf(NoSuchFileException.class);
    assertThat(names()).isEmpty();
    file.missing = false;
    assertReads(cache(), file);
  }

  @Test
  void read_damagedSource_isRefusedBeforeItsLastBlock() throws IOException {
    file.stored = file.content.clone();
    file.stored[BLOCK]++;
    try (InputStream in = open(cache(), file)) {
      assertThat(in.readNBytes(3 * BLOCK)).hasSize(3 * BLOCK);
      assertThatThrownBy(in::read)
          .isInstanceOf(CorruptModelException.class)
          .hasMessage("source/model.zip does not have the SHA-256 of its manifest");
    }
    assertThat(names()).isEmpty();
    file.stored = Arrays.copyOf(file.content, BLOCK + 5);
    try (InputStream in = open(cache(), file)) {
      assertThatThrownBy(in::readAllBytes)
          .isInstanceOf(CorruptModelException.class)
          .hasMessageContaining("has %d bytes".formatted(BLOCK + 5));
    }
    file.stored = Arrays.copyOf(file.content, file.content.length + 1);
    try (InputStream in = open(cache(), file)) {
      assertThatThrownBy(in::readAllBytes).isInstanceOf(CorruptModelException.class);
    }
    assertThat(names()).isEmpty();
  }

  @Test
  void read_sourceFailsInTheMiddle_failsForItsReaderAlone() throws IOException {
    VersionCache cache = cache();
    try (InputStream ahead = open(cache, file);
        InputStream behind = open(cache, file)) {
      assertThat(behind.readNBytes(100)).hasSize(100);
      file.failsAfter = BLOCK + 10;
      assertThatThrownBy(ahead::readAllBytes).hasMessage("the connection was reset");
      file.failsAfter = -1;
      assertThat(behind.readAllBytes())
          .as("goes on alone, from its byte")
          .isEqualTo(Arrays.copyOfRange(file.content, 100, file.content.length));
    }
    assertThat(names()).isEmpty();
    assertReads(cache, file);
    assertThat(names()).containsExactly(file.name().copy());
  }

  @Test
  void open_fromALaterByte_usesACopyAndMakesNone() throws IOException {
    int from = BLOCK + 3;
    byte[] rest = Arrays.copyOfRange(file.content, from, file.content.length);
    try (InputStream in = cache().open(file.file, "source", file, from, false)) {
      assertThat(in.readAllBytes()).isEqualTo(rest);
    }
    assertThat(names()).isEmpty();
    assertReads(cache(), file);
    try (InputStream in = cache().open(file.file, "source", file, from, false)) {
      assertThat(in.readAllBytes()).isEqualTo(rest);
    }
    assertThat(file.opens).hasValue(2);
  }

  @Test
  void open_partFromTheFirstByte_makesNoRoom() throws IOException {
    CountedFile old = CountedFile.of(2, file.content.length);
    VersionCache cache = cache(CopyFormat.fileBytes(file.content.length), CacheOperations.system());
    assertReads(cache, old);
    try (InputStream in = cache.open(file.file, "source", file, 0, false)) {
      assertThat(in.readNBytes(1_024)).isEqualTo(Arrays.copyOf(file.content, 1_024));
    }
    assertThat(names()).containsExactly(old.name().copy());
  }

  @Test
  void open_missingFile_deletesNoOldCopy() throws IOException {
    CountedFile old = CountedFile.of(2, file.content.length);
    VersionCache cache = cache(CopyFormat.fileBytes(file.content.length), CacheOperations.system());
    assertReads(cache, old);
    file.missing = true;
    assertThatThrownBy(() -> open(cache, file)).isInstanceOf(NoSuchFileException.class);
    assertThat(names()).containsExactly(old.name().copy());
    file.missing = false;
    assertReads(cache, file);
    assertThat(names()).containsExactly(file.name().copy());
  }

  @Test
  void settings_wait_isBounded() {
    for (Duration wait : List.of(Duration.ofNanos(-1), ChronoUnit.FOREVER.getDuration())) {
      assertThatThrownBy(() -> new VersionCacheSettings(parent, LARGE, wait))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("mostWait must be 0 to PT24H, not " + wait);
    }
  }

  @Test
  void open_fileWithoutADigest_isReadFromItsSource() throws IOException {
    VersionCache cache = cache();
    ModelFile unnamed = new ModelFile("model.zip", file.content.length, "../../etc");
    try (InputStream in = cache.open(unnamed, "source", file, 0, true)) {
      assertThat(in.readAllBytes()).isEqualTo(file.content);
    }
    assertThat(cache.counts()).isEqualTo(new VersionCache.Counts(0, 1, file.content.length));
    assertThat(names()).isEmpty();
  }

  @Test
  void room_isMadeByDeletingWhatWasUsedLeastRecently() throws IOException {
    List<CountedFile> files = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      files.add(CountedFile.of(i, 1_000));
    }
    long three = 3 * CopyFormat.fileBytes(1_000);
    VersionCache cache = cache(three, CacheOperations.system());
    for (CountedFile each : files.subList(0, 3)) {
      nowMillis.addAndGet(1_000);
      assertReads(cache, each);
    }
    nowMillis.addAndGet(1_000);
    assertReads(cache, files.get(0));
    Path foreign = Files.writeString(folder().resolve("notes.txt"), "not the cache's");
    nowMillis.addAndGet(1_000);
    assertReads(cache, files.get(3));
    assertThat(copy(files.get(1))).doesNotExist();
    assertThat(List.of(copy(files.get(0)), copy(files.get(2)), copy(files.get(3))))
        .allSatisfy(path -> assertThat(path).exists());
    assertThat(foreign).hasContent("not the cache's");
  }

  @Test
  void room_fileIsLargerThanTheBound_isReadAndNotKept() throws IOException {
    VersionCache cache = cache(file.content.length, CacheOperations.system());
    CountedFile small = CountedFile.of(9, 100);
    assertReads(cache, small);
    assertReads(cache, file);
    assertReads(cache, file);
    assertThat(file.opens).hasValue(2);
    assertThat(names()).containsExactly(small.name().copy());
  }

  @Test
  void room_fileSystemIsAlmostFull_isThatOfOldCopies() throws IOException {
    FaultyCacheOperations disk = FaultyCacheOperations.never();
    VersionCache cache = cache(LARGE, disk);
    CountedFile old = CountedFile.of(2, 50_000);
    assertReads(cache, old);
    disk.usableBytes = 10_000;
    CountedFile fits = CountedFile.of(3, 55_000);
    assertReads(cache, fits);
    assertThat(names()).containsExactly(fits.name().copy());
    CountedFile large = CountedFile.of(4, 80_000);
    assertReads(cache, large);
    assertThat(names()).as("nothing is deleted in vain").containsExactly(fits.name().copy());
  }

  @Test
  void copy_deletedWhileItIsRead_isReadToItsEnd() throws IOException {
    assertReads(cache(), file);
    try (InputStream in = open(cache(), file)) {
      assertThat(in.readNBytes(10)).hasSize(10);
      Files.delete(copy(file));
      assertThat(in.readAllBytes())
          .isEqualTo(Arrays.copyOfRange(file.content, 10, file.content.length));
    }
    assertThat(file.opens).hasValue(1);
  }
}
