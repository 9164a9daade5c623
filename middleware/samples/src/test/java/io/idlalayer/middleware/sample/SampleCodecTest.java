package io.idlalayer.middleware.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

final class SampleCodecTest {
  private final SampleCodec codec = new SampleCodec();

  private byte[] stored(String name) throws Exception {
    try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(name))) {
      return in.readAllBytes();
    }
  }

  @Test
  void decode_storedBytesOfVersion2_giveTheirSample() throws Exception {
    byte[] stored = stored("/sample-v2.bin");
    Sample sample = codec.decode(stored);
    assertThat(sample.id()).isEqualTo("Käse-7");
    assertThat(sample.dense()).containsExactly(1.5, -2.25, 0);
    assertThat(sample.categorical()).containsExactly(3, 0);
    assertThat(sample.ids()).isEqualTo(new IdLists(new long[] {-5, 0, 1L << 62}, new int[] {1, 3}));
    assertThat(sample.label()).isEqualTo(1);
    assertThat(codec.encode(sample)).isEqualTo(stored);
  }

  @Test
  void decode_storedBytesOfVersion1_areRefused() {
    assertThatThrownBy(() -> codec.decode(stored("/sample-v1.bin")))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessage("byte 2: format version 1, known is 2");
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
      pixels[i] = (i % 256) / 255f;
    }
    assertThat(codec.encode(Sample.of(pixels, 3))).hasSize(18 + 784 + 4);
  }

  @Test
  void decode_hugeCount_isRefusedBeforeAllocation() {
    byte[] bytes = codec.encode(Sample.of(new double[] {1.25f}, 0));
    bytes[11] = 0x7f; // The count of dense values becomes two thousand million.
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
  void contentHash_withoutIds_staysAsItIs() {
    Sample sample = new Sample("e", new double[] {1.5f, -0f}, new int[] {3, 0}, 1);
    assertThat(ContentHasher.of(sample))
        .isEqualTo(new ContentHash(5205964754614544784L, 757537710012118453L));
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
