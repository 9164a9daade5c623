package io.idlalayer.middleware.sample.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.IdKeys;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NestedJsonTest {
  private static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(
              DenseFeature.of("items[0].price"),
              new DenseFeature("at.grid", 2, 1),
              new DenseFeature(
                  "user.age",
                  1,
                  1,
                  new SampleSchema.Reading(Missing.ZERO, false, List.of(), List.of()))),
          List.of(new CategoricalFeature("user.geo.country", 100)),
          List.of(new IdFeature("tags[\"a.b\"]", 4)),
          new SampleSchema.Label(
              "outcome.clicked", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes")),
          "meta.id",
          new SampleSchema.Weight("meta.weight", 1),
          new SampleSchema.History("user.name", 1, false, 10));

  private static final String WHOLE =
      """
      {"meta":{"id":"e1","weight":2.5,"more":[{}]},
       "items":[{"price":9.5,"name":"x"},{"price":1}],
       "at":{"grid":[1,-2]}, "other":{"user":{"age":7}},
       "user":{"name":"ann","age":41,"geo":{"country":"DE"}},
       "tags":{"a.b":["t1","t2"],"c":null},
       "outcome":{"clicked":"yes"}}
      """;

  private static final String FLAT =
      """
      {"meta.id":"e1","meta.weight":2.5,"items[0].price":9.5,"at.grid":[1,-2],"user.age":41,
       "user.geo.country":"DE","tags[\\"a.b\\"]":["t1","t2"],"outcome.clicked":"yes",
       "user.name":"ann"}
      """;

  private static Sample decode(String event) throws MalformedSampleException {
    return new JsonSampleDecoder(SCHEMA).decode(event.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] encoded(Sample sample) {
    return new SampleCodec().encode(sample);
  }

  private static String reason(String event) {
    try {
      return "decoded: " + decode(event);
    } catch (MalformedSampleException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  @Test
  void decode_pathsOfAllRoles_areRead() throws Exception {
    Sample sample = decode(WHOLE);

    assertThat(sample.id()).isEqualTo("e1");
    assertThat(sample.weight()).isEqualTo(2.5);
    assertThat(sample.dense()).containsExactly(9.5, 1, -2, 41);
    assertThat(sample.categorical()[0]).isPositive();
    assertThat(sample.ids().key(0)).isEqualTo(IdKeys.of("t1"));
    assertThat(sample.label()).isEqualTo(1);
    assertThat(sample.context().key()).isEqualTo(IdKeys.of("ann"));
  }

  @Test
  void decode_flatEventWithWholeNames_isTheSame() throws Exception {
    byte[] flat = FLAT.getBytes(StandardCharsets.UTF_8);

    assertThat(encoded(decode(FLAT))).isEqualTo(encoded(decode(WHOLE)));
    assertThat(encoded(JsonSampleDecoder.ofFlat(SCHEMA, EventParts.WHOLE).decode(flat)))
        .isEqualTo(encoded(decode(WHOLE)));
  }

  @Test
  void decode_wholeNameAndPath_takesTheWholeNameInAnyOrder() throws Exception {
    String before = WHOLE.replace("{\"meta\":", "{\"user.age\":5,\"meta\":");
    String after = WHOLE.replace("\"outcome\"", "\"user.age\":5,\"outcome\"");

    assertThat(decode(before).dense()[3]).isEqualTo(5);
    assertThat(decode(after).dense()[3]).isEqualTo(5);
    // So does null: the event has the field of the whole name.
    assertThat(decode(after.replace("\"user.age\":5", "\"user.age\":null")).dense()[3]).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // What is missing, as a field at the top would be.
        "\"items\":[{\"price\":9.5 | \"items\":[{\"cost\":9.5"
            + " | items[0].price: missing; the event has no 'items[0].price'",
        "\"items\":[{\"price\":9.5,\"name\":\"x\"},{\"price\":1}] | \"items\":[]"
            + " | items[0].price: missing; the event has no 'items[0]'",
        "\"items\" | \"things\" | items[0].price: missing; the event has no 'items'",
        "{\"price\":9.5,\"name\":\"x\"} | null"
            + " | items[0].price: missing; the event has null at 'items[0]'",
        "9.5 | null | items[0].price: missing; the event has null at 'items[0].price'",
        "\"name\":\"ann\" | \"nick\":\"ann\" | user.name: missing; the event has no 'user.name'",
        // What is not of the kind that the path needs.
        "\"items\":[{\"price\":9.5,\"name\":\"x\"},{\"price\":1}] | \"items\":{\"0\":1}"
            + " | items[0].price: 'items' is an object; a position leads into arrays only",
        "{\"price\":9.5,\"name\":\"x\"} | 3"
            + " | items[0].price: 'items[0]' is a single value, but the path leads into it",
        "{\"country\":\"DE\"} | [{\"country\":\"DE\"}]"
            + " | user.geo.country: 'user.geo' is an array; a position such as [0] must follow in"
            + " the path",
        "\"DE\" | {\"code\":\"DE\"}" + " | user.geo.country: an object where a value is expected",
        "\"DE\" | [\"DE\"] | user.geo.country: an array where a value is expected",
        "[1,-2] | [1,{\"x\":2}] | at.grid: element 1 is not a number",
        "[1,-2] | [1,2,3] | at.grid: 3 values where 2 are expected",
        "\"yes\" | \"perhaps\" | outcome.clicked: 'perhaps' is none of the 2 classes: 'no', 'yes'",
        "\"other\" | \"user\" | user: named twice",
        "\"age\":41 | \"age\":41,\"age\":41 | age: named twice",
        "\"c\":null | \"c\":\"\\ud800\",\"a.b\":1 | a.b: named twice",
        "\"DE\" | \"\\ud800\" | country: '\\ud800' is half of a character"
            + " (a surrogate without its other half)",
      })
  void decode_aPathThatLeadsNowhere_saysWhichStep(String part, String other, String reason) {
    assertThat(WHOLE).contains(part);

    assertThat(
            reason(
                WHOLE.replaceFirst(
                    java.util.regex.Pattern.quote(part),
                    java.util.regex.Matcher.quoteReplacement(other))))
        .isEqualTo(reason);
  }

  @Test
  void decode_optionalFieldByPath_mayBeMissing() throws Exception {
    assertThat(decode(WHOLE.replace("\"age\":41,", "")).dense()[3]).isZero();
    assertThat(decode(WHOLE.replace("{\"country\":\"DE\"}", "null")).categorical()[0]).isZero();
  }

  @Test
  void decode_arrayAndItsElements_areBothRead() throws Exception {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(DenseFeature.of("xs[1]"), new DenseFeature("xs", 3, 1)),
            List.of(),
            List.of(),
            new SampleSchema.Label("xs[2]", SampleSchema.Task.REGRESSION, List.of()),
            null);
    byte[] event = "{\"xs\":[1.5,2.5,3.5]}".getBytes(StandardCharsets.UTF_8);

    Sample sample = new JsonSampleDecoder(schema).decode(event);

    assertThat(sample.dense()).containsExactly(2.5, 1.5, 2.5, 3.5);
    assertThat(sample.label()).isEqualTo(3.5);
  }

  @Test
  void decode_textWithOtherCharacters_isUnchanged() throws Exception {
    String flat = FLAT.replace("DE", "\\\"\\\\\\n\\u0001\u00e4\ud83d\ude00");
    String nested = WHOLE.replace("DE", "\\\"\\\\\\n\\u0001\u00e4\ud83d\ude00");
    byte[] latin = nested.replace("\ud83d\ude00", "").getBytes(StandardCharsets.ISO_8859_1);
    JsonSampleDecoder other =
        new JsonSampleDecoder(SCHEMA, EventEncoding.of("iso-8859-1"), EventParts.WHOLE);

    assertThat(encoded(decode(nested))).isEqualTo(encoded(decode(flat)));
    assertThat(encoded(other.decode(latin)))
        .isEqualTo(encoded(decode(nested.replace("\ud83d\ude00", ""))));
  }

  @Test
  void decode_noJson_saysWhere() {
    String cut = WHOLE.substring(0, 100);

    assertThatThrownBy(() -> decode(cut))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessageStartingWith("byte 100: ");
    assertThat(reason("[1]")).startsWith("event: not a JSON object but an array");
    assertThat(reason("")).startsWith("event: not a JSON object");
    assertThat(reason(WHOLE + "{}")).contains("text after the JSON object");
    assertThat(reason(WHOLE.replace("[{}]", "[".repeat(2000)))).contains("nested deeper than 1000");
  }
}
