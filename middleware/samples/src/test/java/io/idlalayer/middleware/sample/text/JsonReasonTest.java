package io.idlalayer.middleware.sample.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JsonReasonTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{ | it ends before it is complete (line 1, column 2)",
        "[1, 2 | it ends before it is complete (line 1, column 6)",
        "{\"a\": 'b'} | (line 1, column 7)",
        "{\"a\": NaN} | Non-standard token 'NaN'",
        "// text | comment? (line 1, column 1)"
      })
  void of_textThatIsNoJson_hasAPlaceAndNoWordsOfTheParser(String text, String expected)
      throws Exception {
    refused(text, expected);
  }

  @Test
  void of_textThatIsNestedTooDeeply_saysTheLimit() throws Exception {
    refused("[".repeat(1_001), "exceeds the maximum allowed (1000)");
  }

  private static void refused(String text, String expected) throws Exception {
    try (JsonParser parser =
        new JsonFactory().createParser(text.getBytes(StandardCharsets.UTF_8))) {
      JacksonException refused = null;
      try {
        while (parser.nextToken() != null) {
          parser.getText();
        }
      } catch (JacksonException wrong) {
        refused = wrong;
      }
      assertThat(refused).isNotNull();
      assertThat(JsonReason.of(refused))
          .contains(expected)
          .doesNotContain("Source", "Feature", "Jackson");
    }
  }
}
