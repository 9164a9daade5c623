package io.idlalayer.middleware.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Ids that were made to share a row, and what a secret key does to them. */
final class HashKeyTest {
  private static final HashKey KEY = HashKey.parse("000102030405060708090a0b0c0d0e0f");

  /** The second id was made from the first in three seconds, by inverting Murmur3. */
  @Test
  void keyOf_idsThatWereMadeToMeet_differWithAKey() {
    String chosen = ":NafzqsV]u]GXah7";
    assertThat(RowIndex.OPEN.keyOf("u1")).isEqualTo(RowIndex.OPEN.keyOf(chosen));
    RowIndex secret = RowIndex.OPEN.with(KEY);
    assertThat(secret.keyOf("u1")).isNotEqualTo(secret.keyOf(chosen));
    RowIndex read = RowIndex.OPEN.with(HashKey.parse(KEY.text()));
    assertThat(secret.keyOf("u1")).isEqualTo(read.keyOf("u1"));
    RowIndex other = RowIndex.OPEN.with(new HashKey(KEY.low(), KEY.high() + 1));
    assertThat(secret.keyOf("u1")).isNotEqualTo(other.keyOf("u1"));
    assertThat(secret.keyOf("")).isEqualTo(IdLists.MISSING);
    for (RowIndex fixed : List.of(RowIndex.hash(1_000), RowIndex.number(10))) {
      assertThat(fixed.with(KEY)).isEqualTo(fixed);
    }
  }

  @Test
  void text_ofAKey_isReadAgainAndNotShown() {
    assertThat(HashKey.parse(KEY.text())).isEqualTo(KEY);
    assertThat(new HashKey(-1, 1).text()).isEqualTo("ffffffffffffffff0000000000000001");
    assertThat(KEY.toString()).doesNotContain("0001");
    assertThat(RowIndex.OPEN.with(KEY).toString()).doesNotContain(KEY.text());
    for (String bad : List.of("", "00", KEY.text() + "0", KEY.text().replace('0', 'g'))) {
      assertThatThrownBy(() -> HashKey.parse(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a key has 32 hexadecimal digits");
    }
  }

  @Test
  void content_withAKey_hasAnotherHash() {
    Sample sample = Sample.of(new double[] {1, 2}, 1);
    HashKey key = new HashKey(1, 2);
    ContentHash keyed = ContentHasher.of(sample, key);
    assertThat(keyed).isEqualTo(ContentHasher.of(Sample.of(new double[] {1, 2}, 1), key));
    assertThat(keyed).isNotEqualTo(ContentHasher.of(sample, new HashKey(1, 3)));
    assertThat(keyed).isNotEqualTo(ContentHasher.of(sample));
    assertThat(ContentHasher.of(sample)).isEqualTo(ContentHasher.of(sample, HashKey.NONE));
  }
}
