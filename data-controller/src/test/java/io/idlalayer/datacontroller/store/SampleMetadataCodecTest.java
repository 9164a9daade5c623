package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class SampleMetadataCodecTest {
  private static final SampleMetadata SAMPLE =
      new SampleMetadata(
          new ContentHash(0x0102030405060708L, -2),
          99,
          LifeStage.PRESERVE,
          3,
          new Measures(0.5f, 0.25f, Float.NaN, 0.75f, 1.5f, 0.125f, 1),
          4,
          5,
          2,
          17,
          1_700_000_000_000L,
          440,
          3f);

  @Test
  void bytesOfVersion1AreReadForEver() {
    String version1 =
        "01020102000000030000000400000005"
            + "3f0000003e8000007fc00000000001b8"
            + "0000018bcfe568000102030405060708"
            + "fffffffffffffffe0000000000000063";
    SampleMetadata read = SampleMetadataCodec.decode(HexFormat.of().parseHex(version1));
    assertThat(read)
        .usingRecursiveComparison()
        .ignoringFields("measures", "seenInUpdate", "label")
        .isEqualTo(SAMPLE);
    assertThat(read.labeled()).isTrue();
    assertThat(read.label()).isEqualTo(SampleMetadata.LABEL_UNKNOWN);
    assertThat(read.measures())
        .isEqualTo(new Measures(0.5f, 0.25f, Float.NaN, Float.NaN, Float.NaN, 0.5f, 0.5f));
    assertThat(SampleMetadataCodec.decode(SampleMetadataCodec.encode(read))).isEqualTo(read);
  }

  @Test
  void bytesOfVersion2AreReadForEver() {
    String version2 =
        "02020102000000030000000400000005"
            + "3f0000003e8000007fc00000000001b8"
            + "0000018bcfe568000102030405060708"
            + "fffffffffffffffe0000000000000063"
            + "3f4000003fc000004040000000000011"
            + "3e0000003f800000";
    assertThat(HexFormat.of().formatHex(SampleMetadataCodec.encode(SAMPLE))).isEqualTo(version2);
    assertThat(SampleMetadataCodec.decode(HexFormat.of().parseHex(version2))).isEqualTo(SAMPLE);
  }

  @Test
  void otherBytesAreRefused() {
    byte[] bytes = SampleMetadataCodec.encode(SAMPLE);
    bytes[0] = 3;
    assertThatThrownBy(() -> SampleMetadataCodec.decode(bytes)).hasMessageContaining("version 3");
    assertThatThrownBy(() -> SampleMetadataCodec.decode(new byte[3]))
        .hasMessageContaining("3 bytes");
  }
}
