package io.idlalayer.middleware.models.storage.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Several caches on one folder, with readers that take turns, and with faults. Each reader gets the
 * published bytes, or the failure of its source.
 */
final class VersionCachePropertyTest {
  private static final int FILES = 4;
  private static final int CACHES = 3;
  private static final int STEPS = 60;
  private static final long MOST_BYTES = 5L * CopyFormat.BLOCK_BYTES;

  /** A reader in the middle of a file. */
  private static final class Reader {
    final CountedFile file;
    final InputStream in;
    int position;

    Reader(CountedFile file, InputStream in) {
      this.file = file;
      this.in = in;
    }

    /** Reads some bytes; returns whether it goes on. */
    boolean read(int most) throws IOException {
      byte[] part = new byte[most];
      int count = in.read(part);
      if (count < 0) {
        assertThat(position).isEqualTo(file.content.length);
        return false;
      }
      assertThat(Arrays.equals(part, 0, count, file.content, position, position + count)).isTrue();
      position += count;
      return true;
    }
  }

  @Property(tries = 40)
  void readers_amongFaults_getThePublishedBytes(@ForAll long seed) throws IOException {
    Path parent = Files.createTempDirectory("version-cache");
    try {
      SplittableRandom random = new SplittableRandom(seed);
      List<CountedFile> files = new ArrayList<>();
      for (int i = 0; i < FILES; i++) {
        files.add(CountedFile.of(i, random.nextInt(3 * CopyFormat.BLOCK_BYTES)));
      }
      AtomicLong nowMillis = new AtomicLong(1);
      List<VersionCache> caches = new ArrayList<>();
      for (int i = 0; i < CACHES; i++) {
        int first = random.nextInt(100);
        caches.add(
            new VersionCache(
                new VersionCacheSettings(parent, MOST_BYTES, Duration.ofSeconds(1)),
                () -> Instant.ofEpochMilli(nowMillis.incrementAndGet()),
                new FakePauses(),
                new FaultyCacheOperations(first, first + random.nextInt(10))));
      }
      run(parent, random, files, caches);
      // Without faults, everything is as it should be, whatever was left.
      VersionCache last =
          new VersionCache(
              new VersionCacheSettings(parent, MOST_BYTES, Duration.ZERO),
              () -> Instant.ofEpochMilli(nowMillis.incrementAndGet()),
              new FakePauses(),
              CacheOperations.system());
      for (CountedFile each : files) {
        each.failsAfter = -1;
        CacheFixture.assertReads(last, each);
      }
      assertThat(bytes(parent)).isLessThanOrEqualTo(MOST_BYTES);
      long before = files.get(FILES - 1).opens.get();
      CacheFixture.assertReads(last, files.get(FILES - 1));
      assertThat(files.get(FILES - 1).opens.get()).isEqualTo(before);
    } finally {
      delete(parent);
    }
  }

  private static void run(
      Path parent, SplittableRandom random, List<CountedFile> files, List<VersionCache> caches)
      throws IOException {
    List<Reader> readers = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      CountedFile file = files.get(random.nextInt(FILES));
      switch (random.nextInt(6)) {
        case 0, 1 ->
            readers.add(new Reader(file, CacheFixture.open(caches.get(step % CACHES), file)));
        case 2 -> hurt(parent, random);
        case 3 -> file.failsAfter = random.nextBoolean() ? -1 : random.nextInt(1 << 20);
        default -> {
          if (!readers.isEmpty()) {
            read(readers, random);
          }
        }
      }
    }
    files.forEach(each -> each.failsAfter = -1);
    while (!readers.isEmpty()) {
      read(readers, random);
    }
  }

  private static void read(List<Reader> readers, SplittableRandom random) throws IOException {
    Reader reader = readers.get(random.nextInt(readers.size()));
    boolean goesOn;
    try {
      goesOn = reader.read(1 + random.nextInt(400_000)) && random.nextInt(20) > 0;
    } catch (IOException failed) {
      assertThat(failed).hasMessage("the connection was reset");
      goesOn = false;
    }
    if (!goesOn) {
      reader.in.close();
      readers.remove(reader);
    }
  }

  /** Damages, shortens or deletes a complete copy. */
  private static void hurt(Path parent, SplittableRandom random) throws IOException {
    List<Path> copies;
    try (Stream<Path> all = Files.walk(parent)) {
      copies = all.filter(path -> path.toString().endsWith(".copy")).sorted().toList();
    }
    if (copies.isEmpty()) {
      return;
    }
    Path copy = copies.get(random.nextInt(copies.size()));
    byte[] content = Files.readAllBytes(copy);
    switch (random.nextInt(3)) {
      case 0 -> Files.delete(copy);
      case 1 -> Files.write(copy, Arrays.copyOf(content, random.nextInt(content.length)));
      default -> {
        content[random.nextInt(content.length)]++;
        Files.write(copy, content);
      }
    }
  }

  /** Bytes of all complete copies. */
  private static long bytes(Path parent) throws IOException {
    long sum = 0;
    try (Stream<Path> all = Files.walk(parent)) {
      for (Path each : all.filter(path -> path.toString().endsWith(".copy")).toList()) {
        sum += Files.size(each);
      }
    }
    return sum;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
