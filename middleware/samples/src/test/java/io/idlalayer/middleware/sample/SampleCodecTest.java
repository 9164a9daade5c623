package io.idlalayer.middleware.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class SampleCodecTest {
  private final SampleCodec codec = new SampleCodec();

  @Test
  void decode_storedBytesOfVersion1_giveTheirSample() throws Exception {
    byte[] stored;
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("/sample-v1.bin"))) {
      stored = in.readAllBytes();
    }
    Sample sample = codec.decode(stored);
    assertThat(sample.id()).isEqualTo("Käse-7");
    assertThat(sample.dense()).containsExactly(1.5f, -2.25f, 0f);
    assertThat(sample.categorical()).containsExactly(3, 0);
    assertThat(sample.label()).isEqualTo(1f);
    assertThat(codec.encode(sample)).isEqualTo(stored);
  }

  @Test
  void encode_image_takesOneBytePerPixel() {
    float[] pixels = new float[784];
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = (i % 256) / 255f;
    }
    assertThat(codec.encode(Sample.of(pixels, 3))).hasSize(18 + 784 + 4);
  }

  @Test
  void decode_hugeCount_isRefusedBeforeAllocation() {
    byte[] bytes = codec.encode(Sample.of(new float[] {1.25f}, 0));
    bytes[11] = 0x7f; // The count of dense values becomes two thousand million.
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(bytes, 0, bytes.length - 4);
    java.nio.ByteBuffer.wrap(bytes)
        .order(java.nio.ByteOrder.LITTLE_ENDIAN)
        .putInt(bytes.length - 4, (int) crc.getValue());
    assertThatThrownBy(() -> codec.decode(bytes))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessageContaining("its counts ask for");
  }

  @Test
  void contentHash_minusZero_equalsThatOfZero() {
    assertThat(ContentHasher.of(Sample.of(new float[] {-0f}, -0f)))
        .isEqualTo(ContentHasher.of(Sample.of(new float[] {0f}, 0f)));
  }
}
