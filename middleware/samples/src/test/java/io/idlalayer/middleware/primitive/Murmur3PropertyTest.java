package io.idlalayer.middleware.primitive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.commons.codec.digest.MurmurHash3;

final class Murmur3PropertyTest {
  @Property(tries = 1000)
  void hash128_isThatOfCommonsCodec(
      @ForAll @Size(max = 70) byte[] bytes,
      @ForAll int seed,
      @ForAll @IntRange(max = 70) int most) {
    int length = Math.min(bytes.length, most);
    assertThat(Murmur3.hash128(bytes, length, seed))
        .isEqualTo(MurmurHash3.hash128x64(Arrays.copyOf(bytes, length), 0, length, seed));
  }
}
