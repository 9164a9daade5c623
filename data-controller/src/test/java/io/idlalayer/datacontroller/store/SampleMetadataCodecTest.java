package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.cache.shared.PayloadDigest;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class SampleMetadataCodecTest {
  private static final SampleMetadata SAMPLE =
      new SampleMetadata(
          new SampleIdentity(new ContentHash(0x0102030405060708L, -2), 99, 440, 3f),
          new SampleLifecycle(LifeStage.PRESERVE, 3, 1_700_000_000_000L, 5, 4, 2, 17),
          new Measures(0.5f, 0.25f, Float.NaN, 0.75f, 1.5f, 0.125f, 1));

  @Test
  void decode_bytesOfVersion1_areRead() {
    String version1 =
        "01020102000000030000000400000005"
            + "3f0000003e8000007fc00000000001b8"
            + "0000018bcfe568000102030405060708"
            + "fffffffffffffffe0000000000000063"
            + "3f4000003fc000004040000000000011"
            + "3e0000003f800000";
    assertThat(HexFormat.of().formatHex(SampleMetadataCodec.encode(SAMPLE))).isEqualTo(version1);
    assertThat(SampleMetadataCodec.decode(HexFormat.of().parseHex(version1))).isEqualTo(SAMPLE);
  }

  @Test
  void decode_bytesOfVersion2_haveADigest() {
    PayloadDigest digest = new PayloadDigest(0x1112131415161718L, -3);
    byte[] bytes = SampleMetadataCodec.encode(SAMPLE, digest);
    String version1 = HexFormat.of().formatHex(SampleMetadataCodec.encode(SAMPLE));
    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo("02" + version1.substring(2) + "1112131415161718fffffffffffffffd");
    assertThat(SampleMetadataCodec.decode(bytes)).isEqualTo(SAMPLE);
    assertThat(SampleMetadataCodec.digest(bytes)).isEqualTo(digest);
    assertThat(SampleMetadataCodec.digest(SampleMetadataCodec.encode(SAMPLE))).isNull();
  }

  @Test
  void decode_otherVersionOrLength_isRefused() {
    byte[] bytes = SampleMetadataCodec.encode(SAMPLE);
    bytes[0] = 3;
    assertThatThrownBy(() -> SampleMetadataCodec.decode(bytes)).hasMessageContaining("version 3");
    assertThatThrownBy(() -> SampleMetadataCodec.decode(new byte[3]))
        .hasMessageContaining("3 bytes");
  }
}
