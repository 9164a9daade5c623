package io.idlalayer.benchmarks.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CacheTraceTest {
  @TempDir Path folder;

  private Path file(byte[] content) throws IOException {
    return Files.write(folder.resolve("trace"), content);
  }

  private CacheTrace read(String text, TraceFormat format) throws IOException {
    return CacheTrace.read(file(text.getBytes(StandardCharsets.US_ASCII)), format);
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    }
    return bytes.toByteArray();
  }

  /** Returns the same three references in the given format. */
  private static byte[] example(TraceFormat format) {
    return switch (format) {
      case KEYS, LIRS -> "7\n8\n7\n".getBytes(StandardCharsets.US_ASCII);
      case ARC -> "7 2 0 0\n7 1 0 1\n".getBytes(StandardCharsets.US_ASCII);
      case CACHE2K -> ByteBuffer.allocate(12).putInt(7).putInt(8).putInt(7).array();
    };
  }

  @ParameterizedTest
  @EnumSource(TraceFormat.class)
  void everyFormat_compressedOrNot_isTheSameTrace(TraceFormat format) throws IOException {
    CacheTrace plain = CacheTrace.read(file(example(format)), format);

    assertThat(plain.keys()).containsExactly(7, 8, 7);
    assertThat(plain.distinct()).isEqualTo(2);
    assertThat(CacheTrace.read(file(gzip(example(format))), format)).isEqualTo(plain);
  }

  @Test
  void keys_spacesEmptyLinesAndNegativesAreRead() throws IOException {
    assertThat(read("  1\r\n\n-2\n9223372036854775807", TraceFormat.KEYS).keys())
        .containsExactly(1, -2, Long.MAX_VALUE);
  }

  @Test
  void lirs_starsSeparatePhases() throws IOException {
    assertThat(read("1\n*\n2\n*\n", TraceFormat.LIRS).keys()).containsExactly(1, 2);
    assertThatThrownBy(() -> read("1\n*\n", TraceFormat.KEYS)).hasMessageContaining("trace:2: '*'");
  }

  @Test
  void arc_aLineIsARangeOfBlocks() throws IOException {
    CacheTrace trace = read("100 3 0 0\n5\t2 0 1\n", TraceFormat.ARC);

    assertThat(trace.keys()).containsExactly(100, 101, 102, 5, 6);
  }

  @Test
  void cache2k_bigEndianWithSign() throws IOException {
    byte[] bytes = {0, 0, 1, 0, -1, -1, -1, -1};

    assertThat(CacheTrace.read(file(bytes), TraceFormat.CACHE2K).keys()).containsExactly(256, -1);
  }

  @ParameterizedTest
  @CsvSource({
    "KEYS, x, keys",
    "KEYS, 1.5, keys",
    "KEYS, 9223372036854775808, keys",
    "LIRS, **, lirs",
    "ARC, 12, arc",
    "ARC, 12 many, arc"
  })
  void whatIsNoReference_isNamedWithItsLine(TraceFormat format, String line, String name) {
    String good = format == TraceFormat.ARC ? "1 1 0 0" : "1";

    assertThatThrownBy(() -> read(good + "\n\n" + line + "\n" + good, format))
        .isInstanceOf(IOException.class)
        .hasMessage(
            folder.resolve("trace") + ":3: '" + line + "' is not a reference of format " + name);
  }

  @Test
  void aLongLine_isCutInTheMessage() {
    assertThatThrownBy(() -> read("z".repeat(10_000), TraceFormat.KEYS))
        .hasMessageContaining("trace:1: '" + "z".repeat(40) + "' is");
  }

  @ParameterizedTest
  @EnumSource(TraceFormat.class)
  void emptyAndMissingFiles_areNamed(TraceFormat format) {
    assertThatThrownBy(() -> CacheTrace.read(file(new byte[0]), format))
        .hasMessage(folder.resolve("trace") + ": holds no reference");
    assertThatThrownBy(() -> CacheTrace.read(folder.resolve("none"), format))
        .hasMessage(folder.resolve("none") + ": there is no such trace file");
    assertThatThrownBy(() -> CacheTrace.read(folder, format))
        .hasMessage(folder + ": there is no such trace file");
  }

  @ParameterizedTest
  @EnumSource(TraceFormat.class)
  void aCompressedFileThatIsCut_isNotAShorterTrace(TraceFormat format) throws IOException {
    ByteArrayOutputStream many = new ByteArrayOutputStream();
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 5_000; i++) {
      many.write(
          format == TraceFormat.CACHE2K
              ? ByteBuffer.allocate(4).putInt(random.nextInt()).array()
              : (random.nextInt(1 << 20) + " 1\n")
                  .replace(format == TraceFormat.ARC ? "" : " 1", "")
                  .getBytes(StandardCharsets.US_ASCII));
    }
    byte[] whole = gzip(many.toByteArray());
    Path cut = file(Arrays.copyOf(whole, whole.length / 2));

    assertThatThrownBy(() -> CacheTrace.read(cut, format))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(cut.toString());
  }

  @Test
  void aBinaryFileThatEndsWithinAKey_isRefused() {
    assertThatThrownBy(() -> CacheTrace.read(file(new byte[11]), TraceFormat.CACHE2K))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(folder.resolve("trace").toString());
  }

  @ParameterizedTest
  @CsvSource({"-1", "99999999999"})
  void anArcLineOfNoOrTooManyBlocks_isRefused(String count) {
    assertThatThrownBy(() -> read("1 " + count + " 0 0\n", TraceFormat.ARC))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("trace:1: ");
  }
}
