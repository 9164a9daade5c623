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
}
