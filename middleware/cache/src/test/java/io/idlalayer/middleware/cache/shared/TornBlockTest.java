package io.idlalayer.middleware.cache.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads files of writers that were stopped in the middle of a write: at every byte, in both
 * directions, and with any part of the bytes. A reader must find the right payload or none.
 */
class TornBlockTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final long CEILING = 1 << 15;
  private static final String CLUSTER = "one";

  @TempDir Path parent;

  /** Finds payloads in the image of a file. */
  interface Reader {
    byte @Nullable [] get(Path file, PayloadDigest digest) throws IOException;
  }

  /** The file before and after a block was replaced by another one at the same place. */
  private record Change(byte[] before, byte[] after, byte[] old, byte[] fresh, int[] changed) {}

  private Change change() throws IOException {
    byte[] old = payload(1);
    byte[] fresh = payload(2);
    CacheSettings settings = new CacheSettings(CEILING, PolicyName.LRU);
    try (SharedHotCache cache = new SharedHotCache(parent, CLUSTER, settings, NOW)) {
      CacheOwner owner = cache.hot().attach("a/0", CEILING);
      PayloadDigest digest = cache.put(owner, old, Reuse.NEAR);
      byte[] before = Files.readAllBytes(file());
      cache.invalidate(digest);
      cache.put(owner, fresh, Reuse.NEAR);
      byte[] after = Files.readAllBytes(file());
      int[] changed = IntStream.range(0, after.length).filter(i -> before[i] != after[i]).toArray();
      assertThat(changed).hasSizeGreaterThan(200);
      return new Change(before, after, old, fresh, changed);
    }
  }

  private static byte[] payload(int seed) {
    byte[] payload = new byte[200];
    new Random(seed).nextBytes(payload);
    return payload;
  }

  private Path file() throws IOException {
    try (var all = Files.walk(parent)) {
      return all.filter(path -> path.toString().endsWith("-0.cache")).findFirst().orElseThrow();
    }
  }

  private static byte @Nullable [] read(Path file, PayloadDigest digest) throws IOException {
    try (NeighbourFile reader = new NeighbourFile(file, "")) {
      return reader.get(digest);
    }
  }

  /** Returns the number of wrong answers of a reader over all torn images. */
  private int wrongAnswers(Change change, Reader reader) throws IOException {
    return wrongAnswers(change, reader, 1);
  }

  /**
   * @param step number of changed bytes from one image to the next
   */
  private int wrongAnswers(Change change, Reader reader, int step) throws IOException {
    int wrong = 0;
    Random random = new Random(3);
    int[] changed = change.changed();
    for (int round = 0; round <= 3 * changed.length; round += step) {
      byte[] image = change.before().clone();
      for (int i = 0; i < changed.length; i++) {
        boolean written =
            switch (round % 3) {
              case 0 -> i < round / 3;
              case 1 -> i >= changed.length - round / 3;
              default -> random.nextBoolean();
            };
        if (written) {
          image[changed[i]] = change.after()[changed[i]];
        }
      }
      Path file = Files.write(parent.resolve("image"), image);
      for (byte[] payload : new byte[][] {change.old(), change.fresh()}) {
        byte[] answer = reader.get(file, PayloadDigest.of(payload));
        wrong += answer == null || Arrays.equals(answer, payload) ? 0 : 1;
      }
    }
    return wrong;
  }

  @Test
  void get_fromFileTornAtAnyByte_isRightOrNone() throws IOException {
    Change change = change();
    assertThat(wrongAnswers(change, TornBlockTest::read)).isZero();
    Path whole = Files.write(parent.resolve("image"), change.after());
    assertThat(read(whole, PayloadDigest.of(change.fresh()))).isEqualTo(change.fresh());
    assertThat(read(whole, PayloadDigest.of(change.old()))).isNull();
  }

  @Test
  void open_ofFileTornAtAnyByte_hasRightBlocksOrNone() throws IOException {
    Change change = change();
    CacheSettings settings = new CacheSettings(CEILING, PolicyName.LRU);
    Path file = file();
    int wrong =
        wrongAnswers(
            change,
            (image, digest) -> {
              Files.write(file, Files.readAllBytes(image));
              try (SharedHotCache cache = new SharedHotCache(parent, CLUSTER, settings, NOW)) {
                return cache.get(cache.hot().attach("a/0", CEILING), digest);
              }
            },
            7);
    assertThat(wrong).isZero();
  }

  /** What the checks are for: readers without one of them give wrong answers. */
  @Test
  void get_withoutAChecksum_isFoundOut() throws IOException {
    Change change = change();
    assertThat(wrongAnswers(change, (file, digest) -> unchecked(file, digest, false))).isPositive();
    assertThat(wrongAnswers(change, (file, digest) -> unchecked(file, digest, true))).isPositive();
  }

  /**
   * Reads as a {@link NeighbourFile} does, but believes the directory.
   *
   * @param compares whether the digest in the record is compared
   */
  private static byte @Nullable [] unchecked(Path file, PayloadDigest digest, boolean compares)
      throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    FileLayout layout = FileLayout.decode(bytes);
    ByteBuffer image = ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.LITTLE_ENDIAN);
    image.put(bytes);
    BlockDirectory directory =
        new BlockDirectory(image, layout.directoryOffset(0), layout.entriesPerSegment());
    int entry = directory.find(digest);
    if (entry == BlockDirectory.NONE) {
      return null;
    }
    int at = (int) (layout.regionOffset(0) + directory.offset(entry));
    int length = directory.length(entry);
    if (at < 0 || length < BlockRecord.HEADER_BYTES || at + length > bytes.length) {
      return null;
    }
    byte[] record = Arrays.copyOfRange(bytes, at, at + length);
    return compares && !BlockRecord.digest(record).equals(digest)
        ? null
        : Arrays.copyOfRange(record, BlockRecord.HEADER_BYTES, length);
  }
}
