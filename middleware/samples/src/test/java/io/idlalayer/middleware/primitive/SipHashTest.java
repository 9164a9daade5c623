package io.idlalayer.middleware.primitive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SipHashTest {
  /** The vectors of the authors' reference code: key 00 to 0f, texts 00, 00 01 and on. */
  @Test
  void hash_vectorsOfTheReference_areMet() {
    long low = 0x0706050403020100L;
    long high = 0x0f0e0d0c0b0a0908L;
    byte[] bytes = new byte[64];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    assertThat(SipHash.hash(bytes, 0, low, high)).isEqualTo(0x726fdb47dd0e0e31L);
    assertThat(SipHash.hash(bytes, 1, low, high)).isEqualTo(0x74f839c593dc67fdL);
    assertThat(SipHash.hash(bytes, 8, low, high)).isEqualTo(0x93f5f5799a932462L);
    assertThat(SipHash.hash(bytes, 15, low, high)).isEqualTo(0xa129ca6149be45e5L);
  }

  /** Vectors of the reference (vectors.h of SipHash 1.0), whose bytes are little-endian. */
  @Test
  void hash128_vectorsOfTheReference_areMet() {
    long low = 0x0706050403020100L;
    long high = 0x0f0e0d0c0b0a0908L;
    assertThat(SipHash.hash128(new byte[0], 0, low, high))
        .containsExactly(0xe6a825ba047f81a3L, 0x930255c71472f66dL);
    assertThat(SipHash.hash128(new byte[1], 1, low, high))
        .containsExactly(0x44af996bd8c187daL, 0x45fc229b11597634L);
  }
}
