package io.idlalayer.middleware.cache.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedHotCacheTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final long CEILING = 1 << 20;
  private static final String CLUSTER = "one";

  @TempDir Path parent;

  private SharedHotCache open() throws IOException {
    return open(CLUSTER, CEILING);
  }

  private SharedHotCache open(String cluster, long ceiling) throws IOException {
    return new SharedHotCache(parent, cluster, new CacheSettings(ceiling, PolicyName.LRU), NOW);
  }

  private static byte[] payload(int number) {
    byte[] payload = new byte[100 + number % 400];
    new Random(number).nextBytes(payload);
    return payload;
  }

  private static List<PayloadDigest> fill(
      SharedHotCache cache, CacheOwner owner, int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(number -> cache.put(owner, payload(number), Reuse.NEAR))
        .toList();
  }

  private Path directory() throws IOException {
    try (var all = Files.list(parent)) {
      return all.findFirst().orElseThrow();
    }
  }

  private Path file(int slot) throws IOException {
    String own =
        "%016x-".formatted(PayloadDigest.of(CLUSTER.getBytes(StandardCharsets.UTF_8)).high());
    return directory().resolve(own + slot + ".cache");
  }

  @Test
  void get_ofOwnBlock_returnsCopy() throws IOException {
    try (SharedHotCache cache = open()) {
      CacheOwner owner = cache.hot().attach("a/0", CEILING);
      PayloadDigest digest = cache.put(owner, payload(7), Reuse.NEAR);

      assertThat(cache.get(owner, digest)).isEqualTo(payload(7));
      assertThat(cache.get(owner, PayloadDigest.of(payload(8)))).isNull();
      assertThat(owner.usage().hits()).isEqualTo(1);
      assertThat(owner.usage().misses()).isEqualTo(1);
    }
  }

  @Test
  void get_ofNeighboursBlock_isHitOfNeighbour() throws IOException {
    try (SharedHotCache one = open();
        SharedHotCache other = open()) {
      CacheOwner first = one.hot().attach("a/0", CEILING);
      CacheOwner second = other.hot().attach("a/1", CEILING);
      List<PayloadDigest> digests = fill(one, first, 0, 500);
      other.round(NOW);

      for (int i = 0; i < 500; i++) {
        assertThat(other.get(second, digests.get(i))).isEqualTo(payload(i));
      }
      assertThat(other.use().neighbourHits()).isEqualTo(500);
      assertThat(second.usage().hits()).isEqualTo(500);
      assertThat(second.usage().misses()).isZero();
      assertThat(other.hot().stats().blocks()).isZero();
    }
  }

  @Test
  void get_afterNeighbourEvicted_isMiss() throws IOException {
    try (SharedHotCache one = open();
        SharedHotCache other = open()) {
      CacheOwner first = one.hot().attach("a/0", CEILING);
      CacheOwner second = other.hot().attach("a/1", CEILING);
      PayloadDigest digest = one.put(first, payload(1), Reuse.NEAR);
      other.round(NOW);
      one.invalidate(digest);

      assertThat(other.get(second, digest)).isNull();
      assertThat(other.contains(digest)).isFalse();
      assertThat(other.use().damagedRecords()).isZero();
    }
  }

  @Test
  void open_afterEarlierProcess_hasItsBlocks() throws IOException {
    List<PayloadDigest> digests;
    try (SharedHotCache cache = open()) {
      CacheOwner owner = cache.hot().attach("a/0", CEILING);
      digests = fill(cache, owner, 0, 1000);
      cache.hot().detach(owner);
    }
    try (SharedHotCache cache = open()) {
      assertThat(cache.use().foundBlocks()).isEqualTo(1000);
      CacheOwner owner = cache.hot().attach("a/0", CEILING);
      for (int i = 0; i < 1000; i++) {
        assertThat(cache.get(owner, digests.get(i))).isEqualTo(payload(i));
      }
      fill(cache, owner, 1000, 8000);
      assertThat(cache.hot().stats().regionBytes()).isLessThanOrEqualTo(CEILING);
      assertThat(cache.get(owner, PayloadDigest.of(payload(7999)))).isEqualTo(payload(7999));
    }
    assertThat(Files.size(file(0))).isLessThan(CEILING + CEILING / 4);
  }

  @Test
  void open_withSmallerDonation_takesWhatFits() throws IOException {
    try (SharedHotCache cache = open()) {
      fill(cache, cache.hot().attach("a/0", CEILING), 0, 3000);
    }
    try (SharedHotCache cache = open()) {
      CacheOwner owner = cache.hot().attach("a/0", CEILING / 4);
      assertThat(cache.hot().stats().regionBytes()).isEqualTo(CEILING / 4);
      fill(cache, owner, 5000, 5500);
      assertThat(cache.get(owner, PayloadDigest.of(payload(5499)))).isEqualTo(payload(5499));
      cache.hot().resize(owner, CEILING);
      assertThat(cache.hot().stats().regionBytes()).isEqualTo(CEILING);
    }
  }

  @Test
  void open_ofOtherCluster_readsButTakesNothingOver() throws IOException {
    PayloadDigest digest;
    try (SharedHotCache one = open()) {
      digest = one.put(one.hot().attach("a/0", CEILING), payload(1), Reuse.NEAR);
    }
    try (SharedHotCache other = open("two", CEILING)) {
      assertThat(other.use().foundBlocks()).isZero();
      assertThat(other.get(other.hot().attach("a/0", CEILING), digest)).isEqualTo(payload(1));
      assertThat(other.use().neighbourHits()).isEqualTo(1);
    }
    try (SharedHotCache one = open()) {
      assertThat(one.use().foundBlocks()).isEqualTo(1);
    }
  }

  @Test
  void open_withOtherSize_beginsAnew() throws IOException {
    try (SharedHotCache cache = open()) {
      fill(cache, cache.hot().attach("a/0", CEILING), 0, 10);
    }
    try (SharedHotCache cache = open(CLUSTER, 2 * CEILING)) {
      assertThat(cache.use().foundBlocks()).isZero();
      assertThat(cache.hot().attachUpTo("a/0", 2 * CEILING).donatedBytes()).isEqualTo(2 * CEILING);
    }
    try (var files = Files.list(directory())) {
      assertThat(files.filter(path -> path.toString().endsWith(".cache"))).hasSize(1);
    }
  }

  @Test
  void open_besideForeignFiles_skipsThem() throws IOException {
    try (SharedHotCache cache = open()) {
      Files.write(file(1), new byte[10]);
      Files.write(file(2), "idlashm1".getBytes(StandardCharsets.US_ASCII));
      Files.createSymbolicLink(file(3), Path.of("/etc/hostname"));
      Files.createDirectory(file(4));
      byte[] whole = Files.readAllBytes(file(0));
      Files.write(file(5), Arrays.copyOf(whole, 5000));
      byte[] newer = Arrays.copyOf(whole, whole.length);
      newer[8] = 2;
      Files.write(file(6), newer);
      Files.write(file(7), whole);
      Files.setPosixFilePermissions(file(7), PosixFilePermissions.fromString("rw-rw-rw-"));
      for (int i = 0; i < 100; i++) {
        cache.round(NOW);
      }
      assertThat(cache.use().neighbours()).isZero();
      assertThat(cache.use().skippedFiles()).isEqualTo(7);

      try (SharedHotCache other = open()) {
        CacheOwner owner = other.hot().attach("a/1", CEILING);
        PayloadDigest digest = other.put(owner, payload(3), Reuse.NEAR);
        assertThat(other.get(owner, digest)).isEqualTo(payload(3));
      }
    }
  }

  @Test
  void open_ofDirectoryThatOthersMayWrite_isRefused() throws IOException {
    open().close();
    Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatThrownBy(this::open)
        .isInstanceOf(UnusableFileException.class)
        .hasMessageContaining("may be written by other users");
  }

  @Test
  void open_inOpenParent_isRefused() throws IOException {
    Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatThrownBy(this::open).hasMessageContaining("no sticky bit");
  }

  @Test
  void open_withoutParent_isRefused() {
    assertThatThrownBy(
            () ->
                new SharedHotCache(
                    parent.resolve("none"),
                    CLUSTER,
                    new CacheSettings(CEILING, PolicyName.LRU),
                    NOW))
        .hasMessageContaining("is not a directory");
  }

  @Test
  void open_ofSeventeenth_isRefused() throws IOException {
    List<SharedHotCache> all = new ArrayList<>();
    try {
      for (int i = 0; i < SharedDirectory.SLOTS; i++) {
        all.add(open());
      }
      assertThatThrownBy(this::open).hasMessageContaining("all 16 files");
    } finally {
      all.forEach(SharedHotCache::close);
    }
  }

  @Test
  void round_afterNeighbourWasCut_dropsIt() throws IOException {
    try (SharedHotCache one = open();
        SharedHotCache other = open()) {
      CacheOwner first = one.hot().attach("a/0", CEILING);
      CacheOwner second = other.hot().attach("a/1", CEILING);
      PayloadDigest digest = one.put(first, payload(1), Reuse.NEAR);
      other.round(NOW);
      assertThat(other.get(second, digest)).isNotNull();
      one.close();
      try (var file = FileChannel.open(file(0), StandardOpenOption.WRITE)) {
        file.truncate(4096);
      }
      for (int i = 0; i < 2000; i++) {
        assertThat(other.get(second, digest)).isNull();
      }
      assertThat(other.use().neighbours()).isZero();
      PayloadDigest own = other.put(second, payload(2), Reuse.NEAR);
      assertThat(other.get(second, own)).isEqualTo(payload(2));
    }
  }

  @Test
  void put_afterOwnFileWasCut_answersNothing() throws IOException {
    try (SharedHotCache cache = open()) {
      CacheOwner owner = cache.hot().attach("a/0", CEILING);
      fill(cache, owner, 0, 1000);
      try (var file = FileChannel.open(file(0), StandardOpenOption.WRITE)) {
        file.truncate(4096);
      }
      fill(cache, owner, 1000, 3000);
      cache.round(NOW);
      for (int i = 0; i < 3000; i++) {
        assertThat(cache.get(owner, PayloadDigest.of(payload(i)))).isNull();
      }
    }
  }

  @Test
  void resize_beforeTheCutIsSeen_answersNothing() throws IOException {
    try (SharedHotCache cache = open()) {
      CacheOwner owner = cache.hot().attach("a/0", CEILING);
      fill(cache, owner, 0, 3000);
      try (var file = FileChannel.open(file(0), StandardOpenOption.WRITE)) {
        file.truncate(4096);
      }
      cache.hot().resizeUpTo(owner, CEILING / 8);
      cache.hot().resizeUpTo(owner, CEILING);
      fill(cache, owner, 0, 3000);
      for (int i = 0; i < 3000; i++) {
        assertThat(cache.get(owner, PayloadDigest.of(payload(i)))).isNull();
      }
      cache.hot().detach(owner);
    }
  }

  @Test
  void resize_afterOwnFileWasCut_touchesNothing() throws IOException {
    try (SharedHotCache cache = open()) {
      CacheOwner owner = cache.hot().attach("a/0", CEILING / 2);
      fill(cache, owner, 0, 1000);
      try (var file = FileChannel.open(file(0), StandardOpenOption.WRITE)) {
        file.truncate(4096);
      }
      cache.round(NOW);
      cache.hot().resizeUpTo(owner, CEILING / 8);
      cache.hot().resizeUpTo(owner, CEILING / 2);
      CacheOwner later = cache.hot().attachUpTo("a/1", CEILING / 4);
      fill(cache, later, 0, 100);
      cache.hot().detach(owner);
      cache.hot().detach(later);
      assertThat(cache.hot().stats().blocks()).isZero();
    }
  }

  @Test
  void put_byInterruptedThread_doesNotStopTheGrowth() throws IOException {
    try (SharedHotCache cache = open()) {
      CacheOwner owner = cache.hot().attach("a/0", CEILING);
      Thread.currentThread().interrupt();
      fill(cache, owner, 0, 1000);
      assertThat(Thread.interrupted()).isTrue();

      List<PayloadDigest> digests = fill(cache, owner, 0, 1000);
      for (int i = 0; i < 1000; i++) {
        assertThat(cache.get(owner, digests.get(i))).isEqualTo(payload(i));
      }
    }
  }

  @Test
  void attach_byInterruptedThread_leavesFoundBlocksForLater() throws IOException {
    List<PayloadDigest> digests;
    try (SharedHotCache cache = open()) {
      digests = fill(cache, cache.hot().attach("a/0", CEILING), 0, 1000);
    }
    try (SharedHotCache cache = open()) {
      Thread.currentThread().interrupt();
      CacheOwner owner = cache.hot().attach("a/0", CEILING);
      assertThat(Thread.interrupted()).isTrue();
      cache.hot().resize(owner, CEILING);
      for (int i = 0; i < 1000; i++) {
        assertThat(cache.get(owner, digests.get(i))).isEqualTo(payload(i));
      }
    }
  }

  @Test
  void get_whileNeighbourGrows_returnsCopies() throws IOException {
    try (SharedHotCache one = open();
        SharedHotCache other = open()) {
      CacheOwner first = one.hot().attach("a/0", CEILING);
      CacheOwner second = other.hot().attach("a/1", CEILING);
      List<PayloadDigest> digests = new ArrayList<>();
      int listed = 0;
      for (int from = 0; from < 2400; from += 100) {
        digests.addAll(fill(one, first, from, from + 100));
        other.round(NOW);
        listed = 0;
        for (int i = 0; i < digests.size(); i++) {
          PayloadDigest digest = digests.get(i);
          // Few blocks are resident but not listed, because their sets of entries were full.
          boolean found = other.contains(digest);
          listed += found ? 1 : 0;
          assertThat(other.get(second, digest)).isEqualTo(found ? payload(i) : null);
        }
      }
      assertThat(listed).isGreaterThan(2000);
    }
  }

  @Test
  void open_ofLargeCache_takesNoLargeBuffer() throws IOException {
    BufferPoolMXBean direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    long before = direct.getMemoryUsed();
    open(CLUSTER, 64 * CEILING).close();
    open(CLUSTER, 64 * CEILING).close();
    assertThat(Files.size(file(0))).isGreaterThan(8 * CEILING);
    assertThat(direct.getMemoryUsed() - before).isLessThan(CEILING);
  }

  @Test
  void use_byInterruptedThread_costsNothingLater() throws IOException {
    try (SharedHotCache one = open();
        SharedHotCache other = open()) {
      CacheOwner first = one.hot().attach("a/0", CEILING);
      CacheOwner second = other.hot().attach("a/1", CEILING);
      List<PayloadDigest> digests = fill(one, first, 0, 1000);
      Thread.currentThread().interrupt();
      other.round(NOW);
      fill(other, second, 2000, 2100);
      digests.forEach(digest -> other.get(second, digest));
      assertThat(Thread.interrupted()).isTrue();

      other.hot().resize(second, CEILING / 2);
      for (int i = 0; i < 100; i++) {
        other.round(NOW);
      }
      for (int i = 0; i < 1000; i++) {
        assertThat(other.get(second, digests.get(i))).isEqualTo(payload(i));
      }
      PayloadDigest own = other.put(second, payload(5), Reuse.NEAR);
      assertThat(other.hot().contains(own.space(), own.id())).isTrue();
    }
  }

  @Test
  void open_ofCutFile_beginsAnew() throws IOException {
    try (SharedHotCache cache = open()) {
      fill(cache, cache.hot().attach("a/0", CEILING), 0, 2000);
    }
    Path file = file(0);
    long size = Files.size(file);
    for (long cut : new long[] {0, 1, 60, 4096, size / 8, size / 2, size - 1}) {
      try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(cut);
      }
      try (SharedHotCache cache = open()) {
        CacheOwner owner = cache.hot().attach("a/0", CEILING);
        for (int i = 0; i < 2000; i++) {
          byte[] found = cache.get(owner, PayloadDigest.of(payload(i)));
          assertThat(found == null || Arrays.equals(found, payload(i))).isTrue();
        }
        fill(cache, owner, 0, 2000);
      }
      size = Files.size(file);
    }
  }

  @Test
  void sweep_afterADay_deletesFilesOfDeadProcessesOnly() throws IOException {
    String otherCluster = "other";
    open(otherCluster, CEILING).close();
    try (SharedHotCache living = open()) {
      living.round(NOW);
      long later = NOW + AbandonedFiles.AGE.toMillis() - 1;
      CacheSettings settings = new CacheSettings(CEILING, PolicyName.LRU);
      new SharedHotCache(parent, CLUSTER, settings, later).close();
      try (var all = Files.walk(parent)) {
        assertThat(all.filter(path -> path.toString().endsWith(".cache"))).hasSize(3);
      }
      new SharedHotCache(parent, CLUSTER, settings, later + 1).close();
      try (var all = Files.walk(parent)) {
        assertThat(all.filter(path -> path.toString().endsWith(".cache"))).hasSize(2);
      }
      assertThat(living.hot().attach("a/0", CEILING).donatedBytes()).isEqualTo(CEILING);
    }
  }

  /** The key was removed from the application file, so no process of the job sweeps any more. */
  @Test
  void deleteUnused_whileOneProcessLives_deletesTheFilesOfTheOthers() throws IOException {
    assertThat(new SharedCacheFiles(parent).list()).isEmpty();
    assertThat(parent).isEmptyDirectory();
    open("other", CEILING).close();
    try (SharedHotCache living = open()) {
      List<PayloadDigest> digests = fill(living, living.hot().attach("a/0", CEILING), 0, 100);
      SharedCacheFiles files = new SharedCacheFiles(parent);
      assertThat(files.list())
          .hasSize(2)
          .allSatisfy(file -> assertThat(file.lastUse()).isEqualTo(Instant.ofEpochMilli(NOW)));
      assertThat(files.list().stream().filter(SharedCacheFiles.Found::inUse)).hasSize(1);

      assertThat(files.deleteUnused(NOW)).hasSize(1).noneMatch(SharedCacheFiles.Found::inUse);

      assertThat(files.list()).hasSize(1).allMatch(SharedCacheFiles.Found::inUse);
      CacheOwner owner = living.hot().attach("a/1", 0);
      assertThat(digests).allMatch(digest -> living.get(owner, digest) != null);
    }
    assertThat(new SharedCacheFiles(parent).deleteUnused(NOW)).hasSize(1);
    try (var left = Files.list(parent)) {
      assertThat(left.filter(path -> !path.toString().endsWith(".lock"))).isEmpty();
    }
  }

  @Test
  void round_ofBusyBesideIdle_lendsMemory() throws IOException {
    try (SharedHotCache busy = open();
        SharedHotCache idle = open()) {
      CacheOwner working = busy.hot().attach("a/0", CEILING);
      CacheOwner resting = idle.hot().attach("a/1", CEILING);
      List<PayloadDigest> ofDonor = new ArrayList<>(fill(idle, resting, 20_000, 21_000));
      List<PayloadDigest> digests = new ArrayList<>();
      for (int i = 0; i < 6000; i += 20) {
        digests.addAll(fill(busy, working, i, i + 20));
        busy.round(NOW);
        idle.round(NOW);
      }
      for (int i = 0; i < 40; i++) {
        busy.round(NOW);
        idle.round(NOW);
      }
      assertThat(idle.use().lentBytes()).isGreaterThan(CEILING / 2);
      long hits = digests.stream().filter(digest -> busy.get(working, digest) != null).count();
      assertThat(busy.use().neighbourHits()).isGreaterThan(500);
      assertThat(hits).isGreaterThan(4200);

      // No block of the donor goes for a lent one, and every lent block before one of its own.
      ofDonor.addAll(fill(idle, resting, 21_000, 22_000));
      assertThat(ofDonor).allMatch(it -> idle.hot().contains(it.space(), it.id()));
      fill(idle, resting, 10_000, 13_200);
      assertThat(idle.use().lentBytes()).isZero();
      assertThat(idle.get(resting, PayloadDigest.of(payload(13_199)))).isNotNull();
    }
  }
}
