package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.TextForm;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What texts of events mean as numbers, classes, times and missing values. */
final class WrittenValuesTest {
  private static SampleSchema classes(String... names) {
    return new SampleSchema(
        List.of("x", "label"),
        List.of(DenseFeature.of("x")),
        List.of(),
        new SampleSchema.Label("label", Task.CLASSIFICATION, List.of(names)),
        null);
  }

  private static SampleSchema target(DenseFeature... features) {
    List<String> columns =
        java.util.stream.Stream.concat(
                java.util.stream.Stream.of(features).map(DenseFeature::name),
                java.util.stream.Stream.of("y"))
            .toList();
    return new SampleSchema(
        columns,
        List.of(features),
        List.of(),
        new SampleSchema.Label("y", Task.REGRESSION, List.of()),
        null);
  }

  private static DenseFeature feature(String name, Missing missing, boolean indicator) {
    return new DenseFeature(
        name, 1, 1, new Reading(missing, indicator, List.of("NA", "-200"), List.of()));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static double csvLabel(SampleSchema schema, String label) throws Exception {
    return new CsvSampleDecoder(schema, TextForm.PLAIN).decode(utf8("1," + label)).label();
  }

  private static double jsonLabel(SampleSchema schema, String label) throws Exception {
    return new JsonSampleDecoder(schema).decode(utf8("{\"x\":1,\"label\":" + label + "}")).label();
  }

  private static double[] csv(SampleSchema schema, TextForm form, String row) throws Exception {
    return new CsvSampleDecoder(schema, form).decode(utf8(row)).dense();
  }

  private static double[] json(SampleSchema schema, String event) throws Exception {
    return new JsonSampleDecoder(schema).decode(utf8(event)).dense();
  }

  private static @Nullable String reason(SampleDecoder decoder, byte[] event) {
    try {
      decoder.decode(event);
      return null;
    } catch (MalformedSampleException refused) {
      return refused.getMessage();
    }
  }

  private static void assertNoNumber(String text, String reason) {
    assertThatThrownBy(
            () ->
                new CsvSampleDecoder(target(DenseFeature.of("x")), TextForm.PLAIN)
                    .decode(utf8(text + ",1")))
        .hasMessage("x: '" + text + "' is not a number" + reason);
  }

  @Test
  void number_withSignsOrDigitsThatLookLikeOthers_namesThem() {
    assertNoNumber("\u22125", "; it has U+2212 where '-' is expected");
    assertNoNumber("1e\u20132", "; it has U+2013 where '-' is expected");
    assertNoNumber("\uff11\uff12", "; it has U+FF11 where '1' is expected");
    assertNoNumber("\u0661\u0662", "; it has U+0661 where '1' is expected");
    assertNoNumber("1\u20132", "");
  }

  @Test
  void label_classesThatAreOneNumber_areToldApartByTheirText() throws Exception {
    SampleSchema icd = classes("250.1", "250.10");
    assertThat(csvLabel(icd, "250.1")).isZero();
    assertThat(csvLabel(icd, "250.10")).isEqualTo(1);
    assertThat(csvLabel(icd, " 250.10 ")).isEqualTo(1);
    assertThat(jsonLabel(icd, "250.10")).isEqualTo(1);
    assertThatThrownBy(() -> csvLabel(icd, "250.100"))
        .hasMessage(
            "label: '250.100' as a number equals several classes, but is not written like any of them:"
                + " '250.1', '250.10'; write the label as its class is written, in JSON as a text");
    assertThat(reason(new JsonSampleDecoder(classes("007", "7")), utf8("{\"label\":7.0}")))
        .startsWith("label: '7.0' as a number equals several classes");
    SampleSchema padded = classes("7", "07", "007");
    assertThat(csvLabel(padded, "07")).isEqualTo(1);
    assertThat(csvLabel(padded, "007")).isEqualTo(2);
  }

  @Test
  void label_suffixesOfJava_areClassesOfTheirOwn() throws Exception {
    SampleSchema letters = classes("1d", "1f", "1h", "0x1p3", "8");
    for (int i = 0; i < 5; i++) {
      assertThat(csvLabel(letters, letters.label().classes().get(i))).isEqualTo(i);
    }
    assertThatThrownBy(() -> csvLabel(letters, "1")).hasMessageContaining("none of the 5 classes");
  }

  @Test
  void label_numbersAboveTheDigitsOfADouble_areToldApart() throws Exception {
    SampleSchema large = classes("9007199254740992", "9007199254740993");
    assertThat(csvLabel(large, "9007199254740993")).isEqualTo(1);
    assertThat(csvLabel(large, "9007199254740993.0")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"1.0,1", "01,1", "+1,1", "1e0,1", "0,0", "-0,0", "0.00,0", "true,1", "False,0"})
  void label_anEqualNumber_isTheClass(String label, double expected) throws Exception {
    assertThat(csvLabel(classes("0", "1"), label)).isEqualTo(expected);
  }

  @Test
  void label_truthOfJson_isOneOrZeroUnlessAClassIsNamedSo() throws Exception {
    assertThat(jsonLabel(classes("0", "1"), "true")).isEqualTo(1);
    assertThat(jsonLabel(classes("0", "1"), "false")).isZero();
    assertThat(jsonLabel(classes("true", "false"), "true")).isZero();
    assertThat(jsonLabel(classes("false", "true"), "1")).isEqualTo(1);
  }

  @Test
  void label_ofNoClass_isRefusedWithTheClassesThereAre() {
    assertThatThrownBy(() -> csvLabel(classes("0", "1", "2"), "3"))
        .hasMessage("label: '3' is none of the 3 classes: '0', '1', '2'");
    assertThatThrownBy(() -> csvLabel(classes("a", "b", "c", "d", "e", "f"), "A\u200b"))
        .hasMessage(
            "label: 'A\\u200b' is none of the 6 classes: 'a', 'b', 'c', 'd', 'e' and 1 more");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1d",
        "1f",
        "1D",
        "2F",
        "2e3d",
        "0x1p3",
        "0x10",
        "1_000",
        "NaN",
        "Infinity",
        "-Infinity",
        "1e",
        "e5",
        ".",
        "-",
        "1 2",
        "\u0661\u0662",
        "1,5",
        "abc",
        "1L",
        "--1",
        "1.2.3",
        "yes"
      })
  void number_thatOnlyAProgramTakesForOne_isNone(String text) {
    CsvSampleDecoder decoder =
        new CsvSampleDecoder(target(DenseFeature.of("x")), TextForm.delimited(";"));
    assertThat(reason(decoder, utf8(text + ";1"))).contains("is not a ").startsWith("x: ");
    assertThat(reason(decoder, utf8("1;" + text))).contains("is not a ").startsWith("y: ");
    JsonSampleDecoder json = new JsonSampleDecoder(target(DenseFeature.of("x")));
    assertThat(reason(json, utf8("{\"x\":\"" + text + "\"}"))).contains("is not a ");
  }

  @ParameterizedTest
  @CsvSource({
    "1,1",
    "-1.5,-1.5",
    "+2,2",
    ".5,0.5",
    "5.,5",
    "1e3,1000",
    "1E-2,0.01",
    "' 7 ',7",
    "true,1",
    "False,0",
    "007,7",
    "-0,0"
  })
  void number_asPeopleWriteIt_isRead(String text, double expected) throws Exception {
    double[] read = csv(target(DenseFeature.of("x")), TextForm.delimited(";"), text + ";1");
    assertThat(read[0] + 0f).isEqualTo(expected);
  }

  @Test
  void codes_declaredAsNumbers_areRefusedUnlessTheyAreDigitsAlone() {
    CsvSampleDecoder decoder =
        new CsvSampleDecoder(target(DenseFeature.of("code")), TextForm.PLAIN);
    Set<String> taken = new TreeSet<>();
    for (int i = 0; i < 256; i++) {
      String code = "%02x".formatted(i);
      if (reason(decoder, utf8(code + ",1")) == null) {
        taken.add(code);
      }
    }
    assertThat(taken).hasSize(100).allMatch(code -> code.matches("\\d\\d"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "','|'.'|43,20|43.2",
        "','|'.'|1.254|1254",
        "','|'.'|-1.254.000,5|-1254000.5",
        "','|''|4,033|4.033",
        "'.'|','|1,254|1254",
        "'.'|','|12,345,678.25|12345678.25",
        "'.'|' '|1 254|1254",
        "'.'|' '|1\u00a0254|1254",
        "'.'|' '|1\u202f254.5|1254.5",
        "','|''''|1'254,5|1254.5",
        "','|''''|1\u2019254|1254"
      })
  void number_withSeparators_isRead(String decimal, String thousands, String text, double expected)
      throws Exception {
    TextForm form = new TextForm("utf-8", ";", new NumberNotation(decimal, thousands));
    assertThat(csv(target(DenseFeature.of("x")), form, text + ";1")[0]).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.25",
        "12.34.567",
        ".254",
        "1.2544",
        "1254.000",
        "1..254",
        "1,2,3",
        "0.125",
        "0.001",
        "-00.500"
      })
  void number_withMisplacedThousands_isRefused(String text) {
    TextForm form = new TextForm("utf-8", ";", new NumberNotation(",", "."));
    CsvSampleDecoder decoder = new CsvSampleDecoder(target(DenseFeature.of("x")), form);
    assertThat(reason(decoder, utf8(text + ";1"))).startsWith("x: '" + text + "' is not a number");
  }

  @Test
  void number_withADecimalComma_namesTheSetting() {
    CsvSampleDecoder decoder =
        new CsvSampleDecoder(target(DenseFeature.of("x")), TextForm.delimited(";"));
    assertThat(reason(decoder, utf8("43,20;1")))
        .isEqualTo(
            "x: '43,20' is not a number; input.decimal says which decimal separator numbers have");
  }

  @Test
  void truthOfJson_asAFeature_isOneOrZero() throws Exception {
    SampleSchema schema = target(DenseFeature.of("weekend"), new DenseFeature("flags", 2, 1));
    assertThat(json(schema, "{\"weekend\":true,\"flags\":[false,true],\"y\":1}"))
        .containsExactly(1, 0, 1);
    assertThat(json(schema, "{\"weekend\":\"True\",\"flags\":[0,true],\"\u00e4\":0}"))
        .containsExactly(1, 0, 1);
  }

  @Test
  void missing_byItsRule_isZeroOrTheMeanOrRefused() throws Exception {
    SampleSchema schema =
        target(
            feature("zero", Missing.ZERO, false),
            feature("mean", Missing.MEAN, false),
            feature("told", Missing.MEAN, true));
    double nan = Float.NaN;
    for (String text : List.of("", " ", "NA", "-200", "-200.0", "-2e2")) {
      assertThat(csv(schema, TextForm.PLAIN, "%s,%s,%s,1".formatted(text, text, text)))
          .as(text)
          .containsExactly(0, nan, nan, 1);
    }
    for (String text : List.of("null", "\"\"", "\"NA\"", "-200", "-200.0")) {
      assertThat(
              json(
                  schema,
                  "{\"zero\":%s,\"mean\":%s,\"told\":%s,\"y\":1}".formatted(text, text, text)))
          .as(text)
          .containsExactly(0, nan, nan, 1);
    }
    assertThat(json(schema, "{\"y\":1}")).containsExactly(0, nan, nan, 1);
    assertThat(json(schema, "{\"zero\":5,\"mean\":6,\"told\":7}")).containsExactly(5, 6, 7, 0);
    assertThat(csv(schema, TextForm.PLAIN, "5,6,7,1")).containsExactly(5, 6, 7, 0);
    JsonSampleDecoder refuse = new JsonSampleDecoder(target(feature("x", Missing.REFUSE, false)));
    assertThat(reason(refuse, utf8("{\"x\":null}"))).isEqualTo("x: missing");
    assertThat(reason(refuse, utf8("{\"x\":-200}"))).isEqualTo("x: missing");
    assertThat(reason(refuse, utf8("{}"))).isEqualTo("x: missing");
  }

  @Test
  void missing_withADefault_isNotWhatIsNoNumber() {
    CsvSampleDecoder decoder =
        new CsvSampleDecoder(target(feature("x", Missing.MEAN, false)), TextForm.PLAIN);
    assertThat(reason(decoder, utf8("unknown,1"))).isEqualTo("x: 'unknown' is not a number");
    assertThat(reason(decoder, utf8("1e999,1"))).isEqualTo("x: Infinity is not a finite number");
  }

  @Test
  void number_thatEndsInInfinity_isShownAsOtherTexts() {
    CsvSampleDecoder decoder = new CsvSampleDecoder(target(DenseFeature.of("x")), TextForm.PLAIN);
    assertThat(reason(decoder, utf8("\u001b[31m to Infinity,1")))
        .isEqualTo("x: '\\u001b[31m to Infinity' is not a number");
    assertThat(reason(decoder, utf8("x".repeat(100_000) + "Infinity,1"))).hasSizeLessThan(60);
    assertThat(reason(decoder, utf8(" -Infinity ,1")))
        .isEqualTo("x: -Infinity is not a finite number");
  }

  @Test
  void number_withNulBytes_isNone() {
    CsvSampleDecoder decoder = new CsvSampleDecoder(target(DenseFeature.of("x")), TextForm.PLAIN);
    assertThat(reason(decoder, utf8("1\u0000,1"))).isEqualTo("x: '1\\u0000' is not a number");
    assertThat(reason(decoder, utf8("1,\u00001"))).isEqualTo("y: '\\u00001' is not a number");
  }

  @Test
  void text_withHalfASurrogatePair_isRefused() throws Exception {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(),
            List.of(new SampleSchema.CategoricalFeature("c", 1000)),
            List.of(new SampleSchema.IdFeature("u", 2)),
            new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("0", "1")),
            "id");
    JsonSampleDecoder decoder = new JsonSampleDecoder(schema);
    for (String field : List.of("c", "u", "id", "y")) {
      for (String half : List.of("\\ud800", "\\udc00", "\\udc00\\ud800", "a\\ud800b")) {
        assertThat(reason(decoder, utf8("{\"%s\":\"%s\"}".formatted(field, half))))
            .startsWith(field + ": '")
            .endsWith("is half of a character (a surrogate without its other half)");
      }
    }
    assertThat(reason(decoder, utf8("{\"u\":[\"a\",\"\\ud800\"]}"))).startsWith("u: '");
    assertThat(decoder.decode(utf8("{\"c\":\"\\ud83d\\ude00\",\"other\":\"\\ud800\"}")))
        .isNotNull();
  }

  @Test
  void json_withAnyLengthOfOtherNames_isRead() throws Exception {
    JsonSampleDecoder decoder = new JsonSampleDecoder(target(DenseFeature.of("x")));
    Sample sample =
        decoder.decode(utf8("{\"%s\":\"%s\",\"x\":1}".formatted("n".repeat(60_000), "t")));
    assertThat(sample.dense()).containsExactly(1);
  }

  @Test
  void missing_inAnArray_isOfItsElement() throws Exception {
    SampleSchema schema =
        target(
            new DenseFeature("v", 2, 2, new Reading(Missing.MEAN, true, List.of("NA"), List.of())));
    double nan = Float.NaN;
    assertThat(json(schema, "{\"v\":[1,null]}")).containsExactly(2, 0, nan, 1);
    assertThat(json(schema, "{\"v\":[\"NA\",3]}")).containsExactly(nan, 1, 6, 0);
    assertThat(json(schema, "{}")).containsExactly(nan, 1, nan, 1);
  }

  @Test
  void time_inItsParts_isNumbers() throws Exception {
    SampleSchema schema =
        target(
            new DenseFeature(
                "at",
                1,
                1,
                new Reading(
                    Missing.ZERO,
                    true,
                    List.of(),
                    List.of(TimePart.HOUR, TimePart.WEEKDAY, TimePart.MONTH, TimePart.DAY_CYCLE))));
    double[] expected = {18, 2, 3, -1, 0, 0};
    for (String at : List.of("2024-03-05T18:00:00+01:00", "05.03.2024 18:00", "1709661600")) {
      double[] read = csv(schema, TextForm.PLAIN, at + ",1");
      for (int i = 0; i < expected.length; i++) {
        assertThat(read[i]).as(at + " " + i).isCloseTo(expected[i], within());
      }
    }
    assertThat(json(schema, "{\"at\":1709661600000}")[0]).isEqualTo(18);
    assertThat(csv(schema, TextForm.PLAIN, ",1")).containsExactly(0, 0, 0, 0, 0, 1);
    assertThat(reason(new CsvSampleDecoder(schema, TextForm.PLAIN), utf8("03/05/2024 10:00,1")))
        .isEqualTo(
            "at: '03/05/2024 10:00' is not a time stamp: day and month cannot be told apart; write"
                + " year-month-day");
    assertThat(reason(new CsvSampleDecoder(schema, TextForm.PLAIN), utf8("2024-02-30,1")))
        .isEqualTo(
            "at: '2024-02-30' is not a time stamp: day 30 is not 1 to 29, the days of 2024-02");
  }

  private static org.assertj.core.data.Offset<Double> within() {
    return org.assertj.core.data.Offset.offset(1e-6);
  }

  @ParameterizedTest
  @ValueSource(strings = {"csv", "json", "criteo"})
  void bytesThatAreNotUtf8_areRefusedAtTheFirst(String format) {
    SampleDecoder decoder =
        switch (format) {
          case "csv" -> new CsvSampleDecoder(classes("a", "b"), TextForm.PLAIN);
          case "json" -> new JsonSampleDecoder(classes("a", "b"));
          default ->
              new CriteoTsvSampleDecoder(
                  io.idlalayer.middleware.sample.Schemas.criteo(), EventEncoding.UTF_8);
        };
    byte[] event = "{\u00fcM\u00fcller".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(reason(decoder, event))
        .isEqualTo("byte 1: 0xfc is not UTF-8; input.encoding names the encoding of the events");
  }

  @Test
  void event_inItsEncoding_hasTheSameTextAsInUtf8() throws Exception {
    SampleSchema schema = classes("M\u00fcller", "M\u00f6ller");
    for (String encoding : List.of("iso-8859-1", "windows-1252", "latin1", "ISO-8859-15")) {
      TextForm form = new TextForm(EventEncoding.of(encoding).name(), ",", NumberNotation.PLAIN);
      byte[] row = "1,M\u00f6ller".getBytes(Charset.forName(encoding));
      assertThat(new CsvSampleDecoder(schema, form).decode(row).label()).isEqualTo(1);
      byte[] event = "{\"x\":1,\"label\":\"M\u00f6ller\"}".getBytes(Charset.forName(encoding));
      assertThat(new JsonSampleDecoder(schema, form.eventEncoding()).decode(event).label())
          .isEqualTo(1);
    }
  }

  @Test
  void byteOrderMark_beforeAnEvent_isPassedOver() throws Exception {
    SampleSchema schema = classes("a", "b");
    Sample row = new CsvSampleDecoder(schema, TextForm.PLAIN).decode(utf8("\ufeff1,b"));
    assertThat(row.dense()).containsExactly(1);
    assertThat(new JsonSampleDecoder(schema).decode(utf8("\ufeff{\"x\":1}")).dense())
        .containsExactly(1);
  }

  /** Case 35. */
  @Test
  void row_withSpacesAfterItsDelimiters_isRead() throws Exception {
    Sample sample = new CsvSampleDecoder(classes("a", "b"), TextForm.PLAIN).decode(utf8(" 1.5, b"));
    assertThat(sample.dense()).containsExactly(1.5);
    assertThat(sample.label()).isEqualTo(1);
  }

  @Test
  void delimiter_ofSeveralCharacters_splitsRows() throws Exception {
    SampleSchema schema = target(DenseFeature.of("a"), DenseFeature.of("b"));
    for (String delimiter : List.of("::", "\t", " ", "||", ";;", "<sep>")) {
      String row = String.join(delimiter, "1", "\"2\"", "3");
      assertThat(csv(schema, TextForm.delimited(delimiter), row)).containsExactly(1, 2);
    }
  }

  @Test
  void row_withOtherDelimiters_namesThem() {
    CsvSampleDecoder decoder = new CsvSampleDecoder(classes("0", "1"), TextForm.PLAIN);
    assertThat(reason(decoder, utf8("0.5;1")))
        .isEqualTo(
            "row: 1 field where 2 are expected; input.delimiter is ',', and with ';' there are 2");
  }
}
