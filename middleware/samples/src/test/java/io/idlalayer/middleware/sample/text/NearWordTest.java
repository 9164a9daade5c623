package io.idlalayer.middleware.sample.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class NearWordTest {
  private static String near(String word, String... known) {
    return NearWord.of(word, List.of(known));
  }

  @Test
  void of_otherLettersOrSeparators_isTheWord() {
    assertThat(near("site", "price", "Site")).isEqualTo("Site");
    assertThat(near("user_id", "user", "userId")).isEqualTo("userId");
    assertThat(near("LEARNING RATE", "learning-rate")).isEqualTo("learning-rate");
  }

  @Test
  void of_otherUnicodeFormsOrAccents_isTheWord() {
    assertThat(near("na\u00efvet\u00e9", "x", "nai\u0308vete\u0301"))
        .isEqualTo("nai\u0308vete\u0301");
    assertThat(near("S\u00e3o Jo\u00e3o", "sao_joao")).isEqualTo("sao_joao");
    assertThat(near("\uff58", "y", "x")).as("full width").isEqualTo("x");
  }

  @Test
  void of_lettersOfAnotherScript_isTheWord() {
    assertThat(near("x", "\u0445")).as("Cyrillic").isEqualTo("\u0445");
    assertThat(near("price", "\u0440ric\u0435")).isEqualTo("\u0440ric\u0435");
    assertThat(near("\u0443", "a", "y")).isEqualTo("y");
    assertThat(near("\u0391\u03a1\u0391", "a", "APA")).as("Greek").isEqualTo("APA");
    assertThat(near("x", "\u0434")).as("it looks otherwise").isEmpty();
  }

  @Test
  void of_twoEdits_isTheNearestWord() {
    assertThat(near("hiden", "bidden", "hidden")).isEqualTo("hidden");
    assertThat(near("pirce", "price")).isEqualTo("price");
  }

  @Test
  void of_anotherWord_isNone() {
    assertThat(near("outcome", "price", "site")).isEmpty();
    assertThat(near("x", "y")).as("all of it differs").isEmpty();
    assertThat(near("ab", "cd")).isEmpty();
    assertThat(near("", "a")).isEmpty();
    assertThat(near("a")).isEmpty();
  }
}
