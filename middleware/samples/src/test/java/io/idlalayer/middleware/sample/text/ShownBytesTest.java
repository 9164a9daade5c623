package io.idlalayer.middleware.sample.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class ShownBytesTest {
  private static String shown(String hex, boolean cut) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    return ShownBytes.escaped(bytes, bytes.length, cut);
  }

  @Test
  void escaped_bytesThatAreNotUtf8_areTheirNumbers() {
    assertThat(shown("636166e92c31", false)).as("Latin-1").isEqualTo("caf\\xE9,1");
    assertThat(shown("1f8b0800", false)).as("gzip").isEqualTo("\\u001f\\x8B\\u0008\\u0000");
    assertThat(shown("c3a9", false)).isEqualTo("\u00e9");
    assertThat(shown("efbfbd", false)).as("a replacement character").isEqualTo("\\ufffd");
    assertThat(shown("eda080", false)).as("a surrogate").isEqualTo("\\xED\\xA0\\x80");
    assertThat(shown("", false)).isEmpty();
  }

  @Test
  void escaped_aCharacterThatIsCut_isLeftOutOnlyIfMoreFollows() {
    assertThat(shown("61c3", true)).isEqualTo("a");
    assertThat(shown("61c3", false)).isEqualTo("a\\xC3");
    assertThat(shown("61f09f98", true)).isEqualTo("a");
    assertThat(shown("61e9", true))
        .as("no beginning of a character is proven wrong")
        .isEqualTo("a");
    assertThat(shown("e961", true)).isEqualTo("\\xE9a");
  }

  @Test
  void isText_aCharacterThatIsCut_isText() {
    byte[] cut = {'a', (byte) 0xC3};
    assertThat(ShownBytes.isText(cut, true)).isTrue();
    assertThat(ShownBytes.isText(cut, false)).isFalse();
    assertThat(ShownBytes.isText(new byte[] {(byte) 0xE9, 'a'}, true)).isFalse();
    assertThat(ShownBytes.isText(new byte[0], false)).isTrue();
  }

  @Property
  void escaped_text_isShownAsText(@ForAll String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    assertThat(ShownBytes.escaped(bytes, bytes.length, false))
        .isEqualTo(Shown.escaped(new String(bytes, StandardCharsets.UTF_8)));
    assertThat(ShownBytes.isText(bytes, false)).isTrue();
  }

  @Property
  void escaped_anyBytes_endAndAreShown(@ForAll byte[] bytes) {
    String shown = ShownBytes.escaped(bytes, bytes.length, false);
    assertThat(shown.isEmpty()).isEqualTo(bytes.length == 0);
    assertThat(Shown.escaped(shown)).isEqualTo(shown);
    boolean same =
        Arrays.equals(
            bytes, new String(bytes, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8));
    assertThat(ShownBytes.isText(bytes, false)).isEqualTo(same);
  }
}
