package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.records.AvroFiles;
import io.idlalayer.jobs.registry.RegistryStandIn;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Input files as an application reads them: headers, encodings, archives, and what is refused. */
final class InputsTest {
  @TempDir Path folder;

  private ApplicationSettings application(String input) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"), "name: app\ninput: {%s}\n".formatted(input));
  }

  private ApplicationSettings csv(String columns, String more) throws Exception {
    return application(
        "format: csv, header: true, columns: [%s], features: [y], label: label, classes: 2%s"
            .formatted(columns, more));
  }

  private List<Sample> read(ApplicationSettings application, byte[] bytes) throws Exception {
    Path file = Files.write(folder.resolve("in.csv"), bytes);
    SampleDecoder decoder = SampleDecoders.of(application.input());
    List<Sample> samples = new ArrayList<>();
    try (RecordReader reader = Inputs.open(file, application)) {
      while (reader.next()) {
        samples.add(decoder.decode(reader.record()));
      }
    }
    return samples;
  }

  private List<Sample> read(ApplicationSettings application, String text) throws Exception {
    return read(application, text.getBytes(StandardCharsets.UTF_8));
  }

  private void refused(ApplicationSettings application, String text, String reason) {
    assertThatThrownBy(() -> read(application, text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void open_headerWithAByteOrderMark_isRead() throws Exception {
    assertThat(read(csv("x, y, label", ""), "\ufeffx,y,label\r\n1,2,0\r\n")).hasSize(1);
  }

  @Test
  void open_headerWithDoubledQuotesDelimitersOrLineEnds_isSplitAsRowsAre() throws Exception {
    assertThat(read(csv("'size \"L\"', y, label", ""), "\"size \"\"L\"\"\",y,label\n1,2,0\n"))
        .hasSize(1);
    assertThat(read(csv("'a,b', y, label", ""), "\"a,b\", y ,\"label\"\n1,2,0\n")).hasSize(1);
    assertThat(read(csv("\"a\\nb\", y, label", ""), "\"a\r\nb\",y,label\n1,2,0\n")).hasSize(1);
  }

  @Test
  void open_columnsWithoutNames_mayRepeat() throws Exception {
    assertThat(read(csv("'', y, label, '', ''", ""), ",y,label,,\n1,2,0,,\n")).hasSize(1);
  }

  @Test
  void open_headerThatDiffers_namesTheFirstDifferenceWithWhatCannotBeSeen() throws Exception {
    ApplicationSettings application = csv("x, y, label", "");
    refused(
        application,
        "x,y\u00a0z,label\n",
        "in.csv differs from input.columns: column 2: found 'y\\u00a0z', expected 'y'");
    refused(application, "\u200bx,y,label\n", "column 1: found '\\u200bx', expected 'x'");
    refused(
        application,
        "x,y,label,z\n",
        "it has 4 columns, and 3 are expected; the first that is too much is 'z'");
    refused(
        application,
        "x,y\n",
        "it has 2 columns, and 3 are expected; the first that is missing is 'label'");
    refused(
        application,
        "x;y;label\n",
        "column 1: found 'x;y;label', expected 'x'; with input.delimiter ';' it has 3 columns");
    refused(
        application,
        "\"x,\"\"y\"\",label\"\n",
        "the line is one field in quotes, with the names inside: unwrap the rows of the file");
    refused(application, "\"x\"y,z,label\n", "field 1: text after the closing quote");
    refused(application, "x".repeat(5000) + ",y,label\n", "x...', expected 'x'");
    refused(
        application,
        "1,2,0\n",
        "column 1: found '1', expected 'x'; if the file has no header, say 'header: false'");
    refused(application, "", "is empty; a header line is expected");
  }

  @Test
  void open_headerWithNamesThatLookAlike_saysHowTheyDiffer() throws Exception {
    ApplicationSettings application = csv("x, 'gr\u00f6\u00dfe', y, label", "");
    refused(
        application,
        "x,gro\u0308\u00dfe,y,label\n",
        "column 2: found 'gro\\u0308\u00dfe', expected 'gr\u00f6\u00dfe'");
    refused(
        application,
        "\u0445,gr\u00f6\u00dfe,y,label\n",
        "column 1: found '\u0445', expected 'x' (they differ in character 1, U+0445 and U+0078)");
  }

  @Test
  void open_lineOfExcelThatNamesTheDelimiter_isPassedOver() throws Exception {
    ApplicationSettings application = csv("x, y, label", ", delimiter: ';'");
    assertThat(read(application, "sep=;\r\nx;y;label\r\n1;2;0\r\n")).hasSize(1);
  }

  @Test
  void open_lineOfExcelWithoutAHeader_isPassedOver() throws Exception {
    ApplicationSettings application =
        application(
            "format: csv, delimiter: ';', columns: [y, label], features: [y], label: label,"
                + " classes: 2");
    assertThat(read(application, "\ufeff\r\nsep=;\r\n1;0\r\n")).hasSize(1);
    assertThatThrownBy(() -> read(application, "1;0\nsep=;\n"))
        .isInstanceOf(MalformedSampleException.class);
  }

  @Test
  void open_zipWithAHeader_isRead() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(bytes)) {
      out.putNextEntry(new ZipEntry("in.csv"));
      out.write("x,y,label\n1,2,0\n3,4,1\n".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(read(csv("x, y, label", ""), bytes.toByteArray())).hasSize(2);
  }

  @Test
  void open_fileInItsEncoding_hasItsTexts() throws Exception {
    String text = "y,name,label\n1,M\u00fcller,0\n2,M\u00f6ller,1\n";
    String columns =
        "format: csv, header: true, columns: [y, name, label], features: [y],"
            + " categorical: [{name: name, buckets: 1000}], label: label, classes: 2";
    List<Sample> expected = read(application(columns), text);
    List<Sample> latin =
        read(
            application(columns + ", encoding: iso-8859-1"),
            text.getBytes(StandardCharsets.ISO_8859_1));
    List<Sample> wide =
        read(application(columns), ("\ufeff" + text).getBytes(Charset.forName("UTF-16LE")));
    for (int i = 0; i < 2; i++) {
      assertThat(latin.get(i).categorical()).isEqualTo(expected.get(i).categorical());
      assertThat(wide.get(i).categorical()).isEqualTo(expected.get(i).categorical());
    }
    assertThat(expected.get(0).categorical()).isNotEqualTo(expected.get(1).categorical());
    assertThatThrownBy(() -> read(application(columns), text.getBytes(StandardCharsets.ISO_8859_1)))
        .hasMessage("byte 3: 0xfc is not UTF-8; input.encoding names the encoding of the events");
  }

  @Test
  void open_jsonThatIsNoEventALine_isRefusedWithWhatItIs() throws Exception {
    ApplicationSettings application = application("features: [a], label: y, classes: 2");
    refused(application, "[\n{\"a\":1},\n{\"a\":2}\n]\n", "is one JSON array; one event a line");
    refused(application, "[{\"a\":1},{\"a\":2}]\n", "is one JSON array; one event a line");
    refused(application, "  {\n  \"a\": 1\n}\n", "has JSON events over several lines");
    assertThat(read(application, "\ufeff{\"a\":1}\n\n{\"a\":2}\n")).hasSize(2);
  }

  private static final Schema CLICK =
      AvroFiles.schema(
          "{'type':'record','name':'Click','namespace':'shop','fields':["
              + "{'name':'user','type':{'type':'record','name':'User','fields':["
              + "{'name':'age','type':['null','int']}]}},"
              + "{'name':'at','type':{'type':'long','logicalType':'timestamp-micros'}},"
              + "{'name':'clicked','type':'boolean'}]}");

  private static final String CLICKS =
      "format: avro, %s, features: [user.age, {name: at, time: [hour]}], label: clicked, classes: ['false',"
          + " 'true']";

  private Path clicks() throws IOException {
    Schema user = CLICK.getField("user").schema();
    return AvroFiles.write(
        folder.resolve("in.csv"),
        CLICK,
        "deflate",
        30,
        20,
        i ->
            AvroFiles.record(
                CLICK, AvroFiles.record(user, 20 + i), 3_600_000_000L * i, i % 2 == 0));
  }

  @Test
  void open_avroFileWithItsSchemaFile_isRead() throws Exception {
    Files.writeString(folder.resolve("click.avsc"), CLICK.toString());
    byte[] bytes = Files.readAllBytes(clicks());
    for (String schema : List.of("click.avsc", "in.csv")) {
      List<Sample> samples = read(application(CLICKS.formatted("schema-file: " + schema)), bytes);
      assertThat(samples).hasSize(30);
      assertThat(samples.get(3).dense()).containsExactly(23, 3);
      assertThat(samples.get(3).label()).isZero();
    }
  }

  @Test
  void open_avroFileOfAnotherSchema_isRefusedWithTheDifference() throws Exception {
    Files.writeString(folder.resolve("click.avsc"), CLICK.toString().replace("micros", "millis"));
    Path file = clicks();
    assertThatThrownBy(
            () -> Inputs.open(file, application(CLICKS.formatted("schema-file: click.avsc"))))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining(
            "'at' is timestamp-micros in the file, and timestamp-millis is expected; name the schema of this file in input.schema-file, or use input.registry");
  }

  @Test
  void open_avroFileWithARegistry_hasTheIdOfItsSchema() throws Exception {
    try (RegistryStandIn registry = RegistryStandIn.start()) {
      ApplicationSettings application =
          application(CLICKS.formatted("registry: {url: '%s'}".formatted(registry.url())));
      Path file = clicks();
      assertThatThrownBy(() -> Inputs.open(file, application))
          .isInstanceOf(UnreadableFileException.class)
          .hasMessageContaining(
              "under none of the subjects app-samples-value, shop.Click, app-samples-shop.Click");
      registry.register("shop.Click", 77, CLICK.toString());
      registry.add(77, "AVRO", CLICK.toString());
      List<Sample> samples = read(application, Files.readAllBytes(file));
      assertThat(samples).hasSize(30);
      assertThat(samples.get(4).dense()).containsExactly(24, 4);
      registry.fail(RegistryStandIn.status(403, ""));
      assertThatThrownBy(() -> Inputs.open(file, application))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("in.csv cannot be sent: the schema registry at ")
          .hasMessageContaining("refuses to give")
          .hasMessageNotContaining("reading stops");
    }
  }

  @Test
  void open_avroFileAndAnotherFormat_saysWhatItHolds() throws Exception {
    Path file = clicks();
    assertThatThrownBy(() -> Inputs.open(file, csv("x, y, label", "")))
        .hasMessageContaining(
            "in.csv holds Avro records (format avro), but app takes input.format csv");
    Files.writeString(folder.resolve("click.avsc"), CLICK.toString());
    ApplicationSettings records = application(CLICKS.formatted("schema-file: click.avsc"));
    refused(records, "{\"user\":1}\n", "holds lines of text, but app takes input.format avro");
  }
}
