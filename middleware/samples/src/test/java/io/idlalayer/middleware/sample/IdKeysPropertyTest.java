package io.idlalayer.middleware.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.commons.codec.digest.MurmurHash3;

final class IdKeysPropertyTest {
  @Property(tries = 1000)
  void of_anyText_isTheFirstHalfOfItsHash(@ForAll String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    long expected = text.isEmpty() ? 0 : MurmurHash3.hash128x64(bytes, 0, bytes.length, 0)[0];
    assertThat(IdKeys.of(text)).isEqualTo(expected);
  }

  @Example
  void of_knownTexts_staysAsItIs() {
    assertThat(IdKeys.of("17")).isEqualTo(-2253424581619911583L);
    assertThat(IdKeys.of("Käse")).isEqualTo(6514312264131705299L);
  }

  @Example
  void of_emptyText_isMissing() {
    assertThat(IdKeys.of("")).isEqualTo(IdLists.MISSING);
  }

  @Example
  void unreserved_keysWithAMeaning_becomeOthers() {
    assertThat(IdKeys.unreserved(IdLists.MISSING)).isEqualTo(-1);
    assertThat(IdKeys.unreserved(IdLists.UNKNOWN)).isEqualTo(-2);
    assertThat(IdKeys.unreserved(2)).isEqualTo(2);
    assertThat(IdKeys.unreserved(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
  }

  @Example
  void of_aMillionIds_areDifferentKeys() {
    Set<Long> keys = new HashSet<>();
    for (int i = 0; i < 1_000_000; i++) {
      keys.add(IdKeys.of(Integer.toString(i)));
    }
    assertThat(keys).hasSize(1_000_000).doesNotContain(IdLists.MISSING, IdLists.UNKNOWN);
  }
}
