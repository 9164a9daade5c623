package io.idlalayer.middleware.sample.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.Normalizer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts as messages show them: what looks alike and differs is shown differently. */
final class ShownTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Z\u00fcrich",
        "\u00e9t\u00e9",
        "\ud55c\uae00",
        "\u304c\u304e",
        "\u1ec7",
        "\u00c5ngstr\u00f6m"
      })
  void of_textInAnotherUnicodeForm_isEscapedWhereItDiffers(String composed) {
    assertThat(Shown.of(composed)).isEqualTo("'" + composed + "'");
    String other = Normalizer.normalize(composed, Normalizer.Form.NFD);
    assertThat(Shown.of(other)).contains("\\u").isNotEqualTo(Shown.of(composed));
    assertThat(Shown.unescaped(Shown.escaped(other))).isEqualTo(other);
  }

  @Test
  void of_singleCharactersThatAreNotComposed_areEscaped() {
    assertThat(Shown.of("\u212b")).as("the unit, not the letter").isEqualTo("'\\u212b'");
    assertThat(Shown.of("Zu\u0308rich")).isEqualTo("'Zu\\u0308rich'");
  }

  @Test
  void of_marksThatBelongToTheirScript_areShown() {
    String hindi = "\u0939\u093f\u0928\u094d\u0926\u0940";
    assertThat(Shown.of(hindi)).isEqualTo("'" + hindi + "'");
  }

  @Test
  void unescaped_anyEscape_isTheText() {
    String text = "a\n\t\r\u00a0\u200b\ud800 \ud83d\ude00\\x";
    assertThat(Shown.unescaped(Shown.escaped(text))).isEqualTo(text);
  }

  @Test
  void difference_textsThatMayLookAlike_namesTheFirstCharacter() {
    assertThat(LookAlikes.difference("pri\u0441\u0435", "price"))
        .isEqualTo("they differ in character 4, U+0441 and U+0063");
    assertThat(LookAlikes.difference("a\u2010b", "a-b"))
        .isEqualTo("they differ in character 2, U+2010 and U+002D");
    assertThat(LookAlikes.difference("price", "price")).isEmpty();
    assertThat(LookAlikes.difference("M\u00fcller", "M\u00f6ller")).as("it can be seen").isEmpty();
    assertThat(LookAlikes.difference("a_b", "a-b")).isEmpty();
    assertThat(LookAlikes.difference("x1", "x2")).isEmpty();
  }
}
