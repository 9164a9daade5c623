package io.idlalayer.middleware.sample.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Schemas;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Broken JSON is refused in the product's own words, at the place where it stops being JSON. */
final class JsonFaultPropertyTest {
  private static final String[] PARTS = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"a\"",
    "\"b\"",
    "\"x\\n\"",
    "1",
    "-1.5e3",
    "01",
    ".5",
    "+1",
    "1.",
    "NaN",
    "Infinity",
    "true",
    "True",
    "None",
    "null",
    "'a'",
    "//c",
    " ",
    "\t",
    "\\",
    "\"",
    "\u00e4",
    "1e400",
    "\"\\u12\"",
    "\"\\x\"",
    "undefined"
  };
  private static final String[] LIBRARY = {
    "jsonreadfeature",
    "streamread",
    "jackson",
    "unrecognized token",
    "unexpected",
    "utf-32",
    "enable",
    "java",
    "exception",
    "code ",
    "expecting"
  };

  private final JsonSampleDecoder decoder = new JsonSampleDecoder(Schemas.small());

  /** Whether Jackson reads a text as one object. */
  private static boolean isObject(String text) {
    try (JsonParser parser = new JsonFactory().createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      parser.skipChildren();
      return parser.currentToken() == JsonToken.END_OBJECT && parser.nextToken() == null;
    } catch (IOException broken) {
      return false;
    }
  }

  private static String drawn(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    int depth = random.nextInt(4);
    if (random.nextInt(4) > 0) {
      text.append("{\"a\":");
    }
    for (int i = 0; i <= 2 * depth; i++) {
      text.append(PARTS[random.nextInt(PARTS.length)]);
    }
    if (random.nextInt(3) > 0) {
      text.append('}');
    }
    return text.toString();
  }

  @Property(tries = 4000)
  void aText_isRefusedWhereAParserRefusesIt_inOurWords(@ForAll long seed) {
    String text = drawn(new SplittableRandom(seed));
    JsonFault.Place fault = JsonFault.of(text);
    assertThat(fault.reason().equals("it cannot be read as JSON"))
        .as("%s: %s", text, fault)
        .isEqualTo(isObject(text));
    assertThat(fault.at()).isBetween(0, text.length());
    try {
      decoder.decode(text.getBytes(StandardCharsets.UTF_8));
    } catch (MalformedSampleException refused) {
      String reason = String.valueOf(refused.getMessage()).toLowerCase(Locale.ROOT);
      assertThat(reason).as(text).doesNotContain(LIBRARY);
    }
  }

  private String reason(String event) {
    try {
      decoder.decode(event.getBytes(StandardCharsets.UTF_8));
      return "";
    } catch (MalformedSampleException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  @Example
  void oddValues_haveTheirReason() {
    assertThat(reason("{\"a\":NaN}"))
        .isEqualTo("byte 5: 'NaN' is not a number of JSON; a missing number is null");
    assertThat(reason("{\"a\":.5}")).startsWith("byte 5: '.5' is not a number of JSON");
    assertThat(reason("{\"a\":+1}")).startsWith("byte 5: '+1' is not a number of JSON");
    assertThat(reason("{\"a\":01}"))
        .startsWith("byte 5: '01' is not a number of JSON: it begins with 0");
    assertThat(reason("{'a':1}"))
        .startsWith("byte 1: '\\'a\\':1}' where the name".replace("\\", ""));
    assertThat(reason("{\"a\":1,}")).isEqualTo("byte 7: a comma before the end of the object");
    assertThat(reason("{\"a\":1"))
        .isEqualTo("byte 6: it ends where a comma or the end of the object is expected");
    assertThat(reason("{\"\u00e4\":tru}")).startsWith("byte 6: 'tru' is not a value of JSON");
    assertThat(reason("{\"a\":1} {\"a\":2}")).startsWith("byte 8: text after the JSON object");
    assertThat(reason("[{\"a\":1}]")).startsWith("event: not a JSON object but an array");
    assertThat(reason("7")).startsWith("event: not a JSON object but a single value");
    assertThat(reason("{\"a\":\"x\ty\"}")).startsWith("byte 7: '\\t' in a text; it is escaped");
    assertThat(reason("{\"c\":" + "[".repeat(1001)))
        .endsWith("nested deeper than 1000 objects and arrays");
    assertThat(reason("{\"c\":" + "1".repeat(1001) + "}"))
        .endsWith("a number of 1001 characters; at most 1000");
    assertThat(reason("w\u0000h\u0000a\u0000t\u0000")).doesNotContain("UTF-32").isNotEmpty();
  }
}
