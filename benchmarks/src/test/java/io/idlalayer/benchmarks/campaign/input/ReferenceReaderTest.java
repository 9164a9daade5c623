package io.idlalayer.benchmarks.campaign.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.campaign.input.InputSettings.Missing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of the page on formats, read by hand. */
final class ReferenceReaderTest {
  private boolean json;
  private String delimiter = ",";
  private boolean header;
  private String encoding = "utf-8";
  private String decimal = ".";
  private String thousands = "";
  private Missing missing = Missing.REFUSE;
  private List<String> classes = List.of("no", "yes");
  private String id = "";
  private List<String> columns = List.of("x", "site", "label");

  private List<Reading> read(byte[] file) throws IOException {
    InputSettings settings =
        new InputSettings(
            json,
            delimiter,
            header,
            encoding,
            decimal,
            thousands,
            missing,
            false,
            List.of(),
            columns,
            List.of("x"),
            List.of(),
            List.of("site"),
            "label",
            classes,
            false,
            id,
            1_000);
    return new ReferenceReader(settings).read(file);
  }

  private List<Reading> read(String file) throws IOException {
    return read(file.getBytes(StandardCharsets.UTF_8));
  }

  private static Reading sample(String x, String site, String label) {
    return Reading.of("", x + "\u0001" + site, label);
  }

  private static Reading refused(Refusal why) {
    return Reading.refused(why);
  }

  @Test
  void read_headerWithMarkAndBlankLines_areNoEvents() throws IOException {
    header = true;
    assertThat(read("\ufeffsep=,\r\nx, site ,label\r\n\r\n1,A,no\r\n"))
        .containsExactly(sample("1", "A", "no"));
  }

  @Test
  void read_quotes_haveDelimitersDoubledQuotesAndLineEnds() throws IOException {
    assertThat(read("1,\"a \"\"b\"\", c\nd\",no\n2,5\" disk,yes\n3,\"B\",no"))
        .containsExactly(
            sample("1", "a \"b\", c\nd", "no"),
            sample("2", "5\" disk", "yes"),
            sample("3", "B", "no"));
  }

  @Test
  void read_quoteTooMuch_costsItsLine() throws IOException {
    assertThat(read("1,\"A,no\n2,B,yes\n3,\"A\"x,no\n"))
        .containsExactly(refused(Refusal.QUOTES), sample("2", "B", "yes"), refused(Refusal.QUOTES));
  }

  @Test
  void read_textsOfJava_areNoNumbers() throws IOException {
    for (String text : List.of("1d", "1f", "0x1p3", "1_000", "NaN", "Infinity", "12 kg", "1e400")) {
      assertThat(read(text + ",A,no\n")).as(text).containsExactly(refused(Refusal.NO_NUMBER));
    }
    assertThat(read("TRUE,A,no\n +.5e1 ,A,no\n-0,A,no\n"))
        .containsExactly(sample("1", "A", "no"), sample("5", "A", "no"), sample("0", "A", "no"));
  }

  @Test
  void read_separators_areReadInGroupsOfThreeOnly() throws IOException {
    delimiter = ";";
    decimal = ",";
    thousands = ".";
    assertThat(read("1.254.000,5;A;no\n12.34;A;no\n0.125;A;no\n1254,5;A;no\n"))
        .containsExactly(
            sample("1254000.5", "A", "no"),
            refused(Refusal.NO_NUMBER),
            refused(Refusal.NO_NUMBER),
            sample("1254.5", "A", "no"));
  }

  @Test
  void read_missingNumber_isWhatTheSettingSays() throws IOException {
    assertThat(read(",A,no\n")).containsExactly(refused(Refusal.MISSING));
    missing = Missing.ZERO;
    assertThat(read(",A,no\nN/A,A,no\n?,A,no\n"))
        .containsExactly(
            sample("0", "A", "no"), sample("0", "A", "no"), refused(Refusal.NO_NUMBER));
  }

  @Test
  void read_classes_areTextsFirst() throws IOException {
    classes = List.of("250.1", "250.10", "1");
    assertThat(read("1,A,250.10\n2,A, 250.1 \n3,A,250.100\n4,A,true\n5,A,01\n6,A,x\n7,A,\n"))
        .containsExactly(
            sample("1", "A", "250.10"),
            sample("2", "A", "250.1"),
            refused(Refusal.SEVERAL_CLASSES),
            sample("4", "A", "1"),
            sample("5", "A", "1"),
            refused(Refusal.NO_CLASS),
            sample("7", "A", ""));
  }

  @Test
  void read_otherBytes_areRefusedUnlessTheEncodingHasThem() throws IOException {
    byte[] row = "1,Zürich,no\r2,A,no\r".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(read(row)).containsExactly(refused(Refusal.ENCODING), sample("2", "A", "no"));
    encoding = "iso-8859-1";
    assertThat(read(row)).containsExactly(sample("1", "Zürich", "no"), sample("2", "A", "no"));
  }

  @Test
  void read_packedUtf16_isRead() throws IOException {
    byte[] plain = "\ufeff1,Zürich,no\n".getBytes(StandardCharsets.UTF_16LE);
    assertThat(read(FileBytes.gzip(plain))).containsExactly(sample("1", "Zürich", "no"));
    assertThat(read(FileBytes.zip(plain, "a"))).containsExactly(sample("1", "Zürich", "no"));
  }

  @Test
  void read_rowTooLong_isRefused() throws IOException {
    assertThat(read("1," + "A".repeat(1_000) + ",no\n")).containsExactly(refused(Refusal.TOO_LONG));
  }

  @Test
  void read_json_hasItsRules() throws IOException {
    json = true;
    assertThat(
            read(
                """
                {"x": "1", "site": "A", "label": "no", "more": {"x": 2}}
                {"x": [1], "label": "no"}
                {"x": NaN, "label": "no"}
                {"x": 1, "label": "no", "label": "no"}
                {"x": 1, "label": "no"} {}
                {"x": null, "label": "no"}
                {"x": {"y": 1}, "label": "no"}
                [1]
                {"x": 1e400, "label": "no"}
                """))
        .containsExactly(
            sample("1", "A", "no"),
            sample("1", "", "no"),
            refused(Refusal.NO_JSON),
            refused(Refusal.TWICE),
            refused(Refusal.NO_JSON),
            refused(Refusal.MISSING),
            refused(Refusal.NO_VALUE),
            refused(Refusal.NO_JSON),
            refused(Refusal.NO_NUMBER));
  }

  @Test
  void read_idAndLabelOnly_isALabelAlone() throws IOException {
    columns = List.of("x", "site", "label", "event");
    id = "event";
    assertThat(read("1,A,,e1\n,,no,e1\n,,no,\n"))
        .containsExactly(
            Reading.of("e1", "1\u0001A", ""), Reading.of("e1", "", "no"), refused(Refusal.MISSING));
  }
}
