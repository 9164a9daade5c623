package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.Schemas;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DecoderTest {
  private final SampleDecoder csv = new CsvSampleDecoder(Schemas.small(), TextForm.PLAIN);
  private final SampleDecoder json = new JsonSampleDecoder(Schemas.small());
  private final SampleDecoder criteo =
      new CriteoTsvSampleDecoder(Schemas.criteo(), EventEncoding.UTF_8);

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void decode_csvRow_givesASample() throws Exception {
    Sample sample =
        csv.decode(utf8("e1,2016-04-01 00:00:07,1.5,4,\"light \"\"rain\"\", cold\",no\r"));
    assertThat(sample.id()).isEqualTo("e1");
    assertThat(sample.dense()).containsExactly(1.5f, 2f);
    assertThat(sample.categorical()[0]).isBetween(1, 7);
    assertThat(sample.label()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "1700000000123, 1700000000123.0",
    "5412345.05, 5412345.05",
    "33554433, 33554433",
    "9007199254740993, 9007199254740992",
    "0.1, 0.1",
    "-0.30000000000000004, -0.30000000000000004",
    "1234567890.123456789, 1234567890.1234567",
    "1e-320, 9.99989E-321"
  })
  void decode_number_keepsAll64Bits(String text, double value) throws Exception {
    String event =
        "{\"id\":\"e\",\"at\":\"2016\",\"a\":%s,\"b\":1,\"kind\":\"k\",\"y\":\"no\"}"
            .formatted(text);
    JsonSampleDecoder decoder = new JsonSampleDecoder(Schemas.small());
    assertThat(decoder.decode(utf8(event)).dense()[0]).isEqualTo(value);
    assertThat(decoder.parsed(utf8(event)).dense()[0]).isEqualTo(value);
    assertThat(csv.decode(utf8("e,2016,%s,1,k,no".formatted(text))).dense()[0]).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "0.1, 7, 0.7",
    "0.01, 29, 0.29",
    "0.00392156862745098, 51, 0.2",
    "0.003921569, 51, 0.2",
    "0.3048, 10, 3.048",
    "1000, 0.001, 1"
  })
  void decode_scaledNumber_isRoundedOnce(double scale, double number, double value)
      throws Exception {
    SampleSchema schema =
        new SampleSchema(
            List.of("a", "y"),
            List.of(new SampleSchema.DenseFeature("a", 1, scale)),
            List.of(),
            Schemas.small().label(),
            null);
    assertThat(new CsvSampleDecoder(schema, TextForm.PLAIN).decode(utf8(number + ",no")).dense())
        .containsExactly(value);
    assertThat(
            new JsonSampleDecoder(schema)
                .decode(utf8("{\"a\":%s,\"y\":\"no\"}".formatted(number)))
                .dense())
        .containsExactly(value);
  }

  @Test
  void decode_sameEventInCsvAndJson_givesTheSameContent() throws Exception {
    Sample fromCsv = csv.decode(utf8("e1,2016-04-01 00:00:07,1.5,4,snow,1.0"));
    Sample fromJson =
        json.decode(
            utf8(
                "{\"y\":1,\"kind\":\"snow\",\"extra\":{\"deep\":[1,{}]},\"a\":1.5,\"b\":4,"
                    + "\"at\":\"2016-04-01 00:00:07\",\"id\":\"e1\"}"));
    assertThat(ContentHasher.of(fromJson)).isEqualTo(ContentHasher.of(fromCsv));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "e,2016-04-01 00:00:07,1,2,k; row: 5 fields where 6",
        "e,2016-04-01 00:00:07,1,2,k,no,more; row: 7 fields where 6",
        "e,2016-04-01 00:00:07,x1,2,k,no; a: 'x1' is not a number",
        "e,2016-04-01 00:00:07,,2,k,no; a: missing",
        "e,2016-04-01 00:00:07,NaN,2,k,no; a: NaN is not a finite",
        "e,2016-04-01 00:00:07,1,1e99,k,no; b: 5.0E98 is not a finite",
        "e,2016-04-01 00:00:07,1,2,k,perhaps; y: 'perhaps' is none of the 2 classes",
        "e,2016-04-01 00:00:07,1,2,\"k,no; the quote is not closed",
        "e,2016-04-01 00:00:07,1,2,\"k\"x,no; text after the closing quote"
      })
  void decode_badCsvRow_isRefusedNamingTheField(String row, String reason) {
    assertThatThrownBy(() -> csv.decode(utf8(row)))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessageContaining(reason.strip());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "[1]; event: not a JSON object",
        "{\"a\":1,\"b\":2} x; byte",
        "{\"a\":1; byte",
        "{\"a\":1,\"a\":2,\"b\":1}; a: named twice",
        "{\"a\":1}; b: missing",
        "{\"a\":{},\"b\":1}; a: an object where a value",
        "{\"a\":[1,2],\"b\":1}; a: 2 values where 1",
        "{\"a\":1e400,\"b\":1}; a: Infinity is not a finite"
      })
  void decode_badJsonEvent_isRefusedNamingTheField(String event, String reason) {
    assertThatThrownBy(() -> json.decode(utf8(event)))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessageContaining(reason.strip());
  }

  @Test
  void decode_missingLabel_givesAnUnlabelledSample() throws Exception {
    assertThat(csv.decode(utf8("e,2016-04-01 00:00:07,1,2,k,")).labeled()).isFalse();
    assertThat(json.decode(utf8("{\"a\":1,\"b\":2}")).labeled()).isFalse();
    assertThat(json.decode(utf8("{\"a\":1,\"b\":2,\"y\":null}")).labeled()).isFalse();
  }

  @Test
  void decode_missingCategory_givesBucketZero() throws Exception {
    assertThat(csv.decode(utf8("e,2016-04-01 00:00:07,1,2,,no")).categorical()).containsExactly(0);
  }

  @Test
  void decode_jsonArray_fillsTheWidthOfItsFeature() throws Exception {
    SampleSchema wide =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", 3, 2f)),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of()),
            null);
    Sample sample = new JsonSampleDecoder(wide).decode(utf8("{\"x\":[1,2,3],\"y\":-4.5}"));
    assertThat(sample.dense()).containsExactly(2f, 4f, 6f);
    assertThat(sample.label()).isEqualTo(-4.5f);
  }

  @Test
  void decode_criteoRowWithGaps_keepsItsColumnsInPlace() throws Exception {
    String row =
        "0\t1\t1\t5\t0\t1382\t4\t15\t2\t181\t1\t2\t\t-2"
            + "\t68fd1e64".repeat(13)
            + "\t"
            + "\tfb936136".repeat(12);
    Sample sample = criteo.decode(utf8(row));
    assertThat(sample.dense()[2]).isEqualTo((float) Math.log(6));
    assertThat(sample.dense()[11]).isZero();
    assertThat(sample.dense()[12]).isZero();
    assertThat(sample.categorical()[13]).isZero();
    assertThat(sample.categorical()[0]).isBetween(1, 999).isEqualTo(sample.categorical()[12]);
    assertThatThrownBy(() -> criteo.decode(utf8(row + "\t")))
        .hasMessageContaining("41 fields where 40");
  }
}
