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
