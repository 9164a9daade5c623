package io.idlalayer.middleware.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SampleCodecTest {
  private final SampleCodec codec = new SampleCodec();

  private byte[] stored(String name) throws Exception {
    try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(name))) {
      return in.readAllBytes();
    }
  }

  @Test
  void decode_storedBytesOfVersion3_giveTheirSample() throws Exception {
    byte[] stored = stored("/sample-v3.bin");
    Sample sample = codec.decode(stored);
    assertThat(sample.id()).isEqualTo("Käse-7");
    assertThat(sample.dense())
        .containsExactly(1.5, -2.25, 0, 0.1, 1_700_000_000_123.0, 5_412_345.123456789);
    assertThat(sample.categorical()).containsExactly(3, 0);
    assertThat(sample.ids()).isEqualTo(new IdLists(new long[] {-5, 0, 1L << 62}, new int[] {1, 3}));
    assertThat(sample.label()).isEqualTo(1_000_000_000.25);
    assertThat(codec.encode(sample)).isEqualTo(stored);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void decode_storedBytesOfEarlierVersions_areRefused(int version) {
    assertThatThrownBy(() -> codec.decode(stored("/sample-v" + version + ".bin")))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessage("byte 2: format version " + version + ", known are 3 and 4");
  }

  private static byte[] withFlags(byte[] encoded, int flags) {
    byte[] changed = encoded.clone();
    changed[3] = (byte) flags;
    sign(changed);
    return changed;
  }

  @Test
  void decode_unknownFlags_areRefused() {
    byte[] bytes = withFlags(codec.encode(Sample.of(new double[] {1.25}, 0)), 7);
    assertThatThrownBy(() -> codec.decode(bytes))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessageStartingWith("byte 3: unknown flags");
  }

  @Test
  void encode_singleIds_takesNineBytesEach() {
    Sample without = Sample.of(new double[13], 0);
    Sample sample = new Sample("", new double[13], new int[0], IdLists.single(new long[26]), 0);
    assertThat(codec.encode(sample)).hasSize(codec.encode(without).length + 4 + 26 * 9);
  }

  @Test
  void decode_hugeCountsOfIds_areRefusedBeforeAllocation() {
    Sample sample = new Sample("", new double[0], new int[0], IdLists.single(2, 3), 0);
    byte[] features = codec.encode(sample);
    features[21] = 0x7f; // Two thousand million features.
    byte[] keys = codec.encode(sample);
    keys[22] = (byte) 0xff; // Both counts run into the keys.
    keys[23] = (byte) 0xff;
    byte[] none = codec.encode(sample);
    none[22] = 0;
    for (byte[] bytes : List.of(features, keys, none)) {
      sign(bytes);
      assertThatThrownBy(() -> codec.decode(bytes)).isInstanceOf(MalformedSampleException.class);
    }
  }

  @Test
  void encode_image_takesOneBytePerPixel() {
    double[] pixels = new double[784];
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = (i % 256) / 255.0;
    }
    assertThat(codec.encode(Sample.of(pixels, 3))).hasSize(18 + 784 + 4);
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = (i % 256) / 255f;
    }
    assertThat(codec.encode(Sample.of(pixels, 3))).hasSize(18 + 784 + 4);
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = Double.parseDouble(Float.toString((i % 256) / 255f));
    }
    assertThat(codec.encode(Sample.of(pixels, 3))).hasSize(18 + 784 + 4);
  }

  /** Header and checksum take 18 bytes. */
  private int bytes(double label, double... dense) {
    return codec.encode(Sample.of(dense, label)).length - 18;
  }

  @Test
  void encode_numbers_takesNoMoreThanTheirDigitsNeed() {
    assertThat(bytes(1, 0.1, 0.056443, -17.25, 1_000)).as("few digits").isEqualTo(4 + 4 * 4);
    assertThat(bytes(1, 0.1f, 3e38f, Double.NaN)).as("floats").isEqualTo(4 + 3 * 4);
    assertThat(bytes(1, 1_700_000_000_123.0)).as("milliseconds").isEqualTo(4 + 1 + 6);
    assertThat(bytes(1, 5_412_345.05, 0.1)).as("metres").isEqualTo(4 + 1 + 6 + 4);
    assertThat(bytes(1, 33_554_433)).as("2^25 + 1").isEqualTo(4 + 4);
    assertThat(bytes(1, Math.PI, 1, 2, 0.3, 0.4)).as("all digits").isEqualTo(4 + 2 + 8 + 4 * 4);
    assertThat(bytes(1, Math.PI, Math.E)).as("all digits only").isEqualTo(4 + 2 * 8);
    assertThat(bytes(1_234_567_890.12)).as("target").isEqualTo(6);
  }

  @Test
  void of_shortDecimals_areFoundWithTheirDigits() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100_000; i++) {
      int k = random.nextInt(16);
      long shortest = random.nextLong(1L << random.nextInt(1, 27));
      long longer = random.nextLong(1L << 27, 1L << 43);
      assertThat(NumberForm.of(-shortest / Math.pow(10, k)))
          .isIn(NumberForm.FLOAT, NumberForm.DECIMAL);
      assertThat(NumberForm.of(longer / Math.pow(10, k))).isNotEqualTo(NumberForm.DOUBLE);
    }
  }

  @Test
  void decode_hugeCount_isRefusedBeforeAllocation() {
    byte[] bytes = codec.encode(Sample.of(new double[] {1.25f}, 0));
    bytes[7] = 0x7f; // The count of dense values becomes two thousand million.
    sign(bytes);
    assertThatThrownBy(() -> codec.decode(bytes))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessageContaining("its counts ask for");
  }

  @Test
  void contentHash_minusZero_equalsThatOfZero() {
    assertThat(ContentHasher.of(Sample.of(new double[] {-0f}, -0f)))
        .isEqualTo(ContentHasher.of(Sample.of(new double[] {0f}, 0f)));
  }

  @Test
  void contentHash_numbersThatAreOneFloat_differ() {
    assertThat(ContentHasher.of(Sample.of(new double[] {5_412_345.05}, 0)))
        .isNotEqualTo(ContentHasher.of(Sample.of(new double[] {5_412_345.10}, 0)));
    assertThat(ContentHasher.of(Sample.of(new double[] {0}, 1_000_000_001)))
        .isNotEqualTo(ContentHasher.of(Sample.of(new double[] {0}, 1_000_000_002)));
  }

  @Test
  void contentHash_withoutIds_staysAsItIs() {
    Sample sample = new Sample("e", new double[] {1.5f, -0f}, new int[] {3, 0}, 1);
    assertThat(ContentHasher.of(sample))
        .isEqualTo(new ContentHash(199340778072638843L, 5368542871833320598L));
  }

  /** Puts the right checksum under changed bytes. */
  static void sign(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, bytes.length - 4);
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(bytes.length - 4, (int) checksum.getValue());
  }
}
