package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.IdKeys;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.TextForm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

/**
 * Files of random encodings, delimiters, separators, line ends, headers, quotes, archives and class
 * names are read as what was written to them.
 */
final class WrittenFilesPropertyTest {
  private static final String[] TEXTS = {
    "a",
    "B",
    "M\u00fcller",
    "M\u00f6ller",
    "x\"y",
    "\"",
    " padded ",
    "two\nlines",
    "1d",
    "250.10",
    "NA",
    "",
    "semi;colon",
    "com,ma",
    "a::b",
    "bar|",
    "tab\there",
    "\u00e9\u00df\u00f1",
    "0x1p3"
  };
  private static final String[] CLASSES = {
    "250.1", "250.10", "1d", "1f", "yes", "Yes", "0", "true", "M\u00fcller", "1e3", "-0.0", "a b"
  };
  private static final String[] DELIMITERS = {",", ";", "\t", "|", "::", " ", "<>"};

  private Path file;

  @BeforeProperty
  void create() throws IOException {
    file = Files.createTempFile("written", ".data");
  }

  @AfterProperty
  void delete() throws IOException {
    Files.delete(file);
  }

  /** How a file is written. */
  private record Writing(
      String encoding,
      Charset charset,
      String mark,
      String delimiter,
      NumberNotation notation,
      String lineEnd,
      int packing) {}

  private static <T> T any(SplittableRandom random, List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private static Writing writing(SplittableRandom random) {
    record Encoding(String name, String charset, String mark) {}
    Encoding encoding =
        any(
            random,
            List.of(
                new Encoding("utf-8", "UTF-8", ""),
                new Encoding("utf-8", "UTF-8", "\ufeff"),
                new Encoding("utf-8", "UTF-16LE", "\ufeff"),
                new Encoding("utf-8", "UTF-16BE", "\ufeff"),
                new Encoding("utf-16", "UTF-16LE", "\ufeff"),
                new Encoding("utf-16le", "UTF-16LE", ""),
                new Encoding("utf-16be", "UTF-16BE", ""),
                new Encoding("iso-8859-1", "ISO-8859-1", ""),
                new Encoding("windows-1252", "windows-1252", "")));
    String decimal = any(random, List.of(".", ","));
    List<String> others = decimal.equals(".") ? List.of("", ",", "'") : List.of("", ".", "'");
    return new Writing(
        encoding.name(),
        Charset.forName(encoding.charset()),
        encoding.mark(),
        any(random, List.of(DELIMITERS)),
        new NumberNotation(decimal, any(random, others)),
        any(random, List.of("\n", "\r\n", "\r")),
        random.nextInt(3));
  }

  private static String quoted(String text, String delimiter, SplittableRandom random) {
    boolean must =
        text.contains(delimiter)
            || text.contains("\n")
            || text.contains("\"")
            || delimiter.contains(text.isEmpty() ? "\0" : text.substring(text.length() - 1));
    return must || random.nextInt(5) == 0 ? "\"" + text.replace("\"", "\"\"") + "\"" : text;
  }

  private static String number(
      BigDecimal number, NumberNotation notation, SplittableRandom random) {
    String plain = number.toPlainString();
    int point = plain.indexOf('.');
    String whole = point < 0 ? plain : plain.substring(0, point);
    String sign = whole.startsWith("-") ? "-" : random.nextInt(6) == 0 ? "+" : "";
    whole = whole.replace("-", "");
    if (!notation.thousands().isEmpty() && random.nextBoolean()) {
      StringBuilder grouped = new StringBuilder(whole);
      for (int at = whole.length() - 3; at > 0; at -= 3) {
        grouped.insert(at, notation.thousands());
      }
      whole = grouped.toString();
    }
    return sign + whole + (point < 0 ? "" : notation.decimal() + plain.substring(point + 1));
  }

  private void write(String text, Writing writing) throws IOException {
    byte[] bytes = (writing.mark() + text).getBytes(writing.charset());
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    switch (writing.packing()) {
      case 0 -> packed.writeBytes(bytes);
      case 1 -> {
        try (OutputStream out = new GZIPOutputStream(packed)) {
          out.write(bytes);
        }
      }
      default -> {
        try (ZipOutputStream out = new ZipOutputStream(packed)) {
          out.putNextEntry(new ZipEntry("folder/"));
          out.putNextEntry(new ZipEntry("folder/data.csv"));
          out.write(bytes);
        }
      }
    }
    Files.write(file, packed.toByteArray());
  }

  private record Row(double number, boolean missing, String text, int label) {}

  private static SampleSchema schema(List<String> classes) {
    return new SampleSchema(
        List.of("number", "text", "", "label", ""),
        List.of(
            new DenseFeature(
                "number", 1, 1, new Reading(Missing.MEAN, true, List.of("NA"), List.of()))),
        List.of(),
        List.of(new IdFeature("text", 1)),
        new SampleSchema.Label("label", Task.CLASSIFICATION, classes),
        null);
  }

  @Property(tries = 400)
  void aFile_hasTheRowsThatWereWritten(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Writing writing = writing(random);
    List<String> classes = new ArrayList<>(List.of(CLASSES));
    while (classes.size() > 2 && random.nextInt(5) > 0) {
      classes.remove(random.nextInt(classes.size()));
    }
    SampleSchema schema = schema(classes);
    List<Row> rows = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    String header = "a header, \"of\" any " + any(random, List.of(TEXTS)).replace("\n", " ");
    String delimiter = writing.delimiter();
    List<String> names = List.of("number", header, "", "label", "");
    names.forEach(name -> text.append(quoted(name, delimiter, random)).append(delimiter));
    text.setLength(text.length() - delimiter.length());
    text.append(writing.lineEnd());
    int count = 1 + random.nextInt(20);
    for (int i = 0; i < count; i++) {
      BigDecimal number =
          BigDecimal.valueOf(random.nextLong(-50_000_000, 50_000_000), random.nextInt(4));
      Row row =
          new Row(
              number.doubleValue(),
              random.nextInt(5) == 0,
              // A file whose lines end with CR has no other line ends.
              any(random, List.of(TEXTS))
                  .replace("\n", writing.lineEnd().equals("\r") ? "/" : "\n"),
              random.nextInt(classes.size()));
      rows.add(row);
      String missing = any(random, List.of("", "NA", " NA "));
      String written = row.missing() ? missing : number(number, writing.notation(), random);
      List<String> fields =
          List.of(
              quoted(written, delimiter, random),
              quoted(row.text(), delimiter, random),
              quoted("ignored \u00fc", delimiter, random),
              quoted(classes.get(row.label()), delimiter, random),
              "");
      text.append(String.join(delimiter, fields));
      text.append(i + 1 < count || random.nextBoolean() ? writing.lineEnd() : "");
    }
    write(text.toString(), writing);
    check(schema, writing, names, rows);
  }

  private void check(SampleSchema schema, Writing writing, List<String> names, List<Row> rows)
      throws Exception {
    TextForm form = new TextForm(writing.encoding(), writing.delimiter(), writing.notation());
    CsvSampleDecoder decoder = new CsvSampleDecoder(schema, form);
    try (RecordReader reader =
        new CsvRecordReader(
            LineRecordReader.open(file, EventEncoding.of(writing.encoding())),
            form,
            schema.columns().size(),
            1 << 20)) {
      assertThat(reader.next()).isTrue();
      String header = new String(reader.record(), form.eventEncoding().ofEvents());
      assertThat(CsvRow.fields(header, form.delimiter())).as("%s", writing).isEqualTo(names);
      for (Row row : rows) {
        assertThat(reader.next()).as("%s", writing).isTrue();
        Sample sample = decoder.decode(reader.record());
        boolean missing = row.missing();
        assertThat(sample.dense())
            .as("%s %s", writing, row)
            .containsExactly(missing ? Double.NaN : row.number(), missing ? 1 : 0);
        // A line end in quotes is a line feed, whatever the file's line ends are.
        assertThat(sample.ids())
            .as("%s %s", writing, row)
            .isEqualTo(IdLists.single(IdKeys.of(row.text())));
        assertThat(sample.label()).as("%s %s", writing, row).isEqualTo(row.label());
      }
      assertThat(reader.next()).isFalse();
    }
  }

  @Property(tries = 300)
  void anyBytes_areReadOrRefusedInWords(@ForAll byte[] bytes, @ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Files.write(file, bytes);
    TextForm form = new TextForm(writing(random).encoding(), ",", NumberNotation.PLAIN);
    CsvSampleDecoder decoder = new CsvSampleDecoder(schema(List.of("0", "1")), form);
    try (RecordReader reader =
        new CsvRecordReader(LineRecordReader.open(file, form.eventEncoding()), form, 5, 1 << 20)) {
      while (reader.next()) {
        String event = new String(reader.record(), StandardCharsets.ISO_8859_1);
        try {
          decoder.decode(reader.record());
        } catch (MalformedSampleException refused) {
          assertThat(refused.getMessage()).as(event).isNotBlank();
        }
      }
    } catch (IOException refused) {
      assertThat(refused.getMessage()).contains(String.valueOf(file.getFileName()));
    }
  }

  private static final String[] ODD_FIELDS = {
    "1e-300000000",
    "1e2147483647",
    "1e99999999999",
    "-0e9",
    "\u00a07\u00a0",
    "\u0001",
    "\"",
    "1,2",
    "0.125",
    "NA",
    "9".repeat(400),
    "2024-03-05T10:00",
    "03/05/2024",
    "24:00",
    "-",
    "e",
    "\ud83d"
  };

  /** Rows that are right but for single fields, so that every rule of a field is reached. */
  @Property(tries = 500)
  void oddFields_areReadOrRefusedInWords(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    SampleSchema schema =
        new SampleSchema(
            List.of("number", "at", "label"),
            List.of(
                new DenseFeature(
                    "number", 1, 1, new Reading(Missing.MEAN, true, List.of("NA"), List.of())),
                new DenseFeature(
                    "at",
                    1,
                    1,
                    new Reading(
                        Missing.ZERO, false, List.of(), List.of(TimePart.SECONDS, TimePart.HOUR)))),
            List.of(),
            new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            null);
    NumberNotation notation =
        random.nextBoolean() ? NumberNotation.PLAIN : new NumberNotation(",", ".");
    CsvSampleDecoder decoder = new CsvSampleDecoder(schema, new TextForm("utf-8", ";", notation));
    String[] fields = {"1", "2024-03-05", "1"};
    int odd = random.nextInt(fields.length);
    fields[odd] = ODD_FIELDS[random.nextInt(ODD_FIELDS.length)];
    try {
      Sample sample = decoder.decode(String.join(";", fields).getBytes(StandardCharsets.UTF_8));
      assertThat(sample.dense()).hasSize(4);
    } catch (MalformedSampleException refused) {
      assertThat(refused.getMessage()).isNotBlank();
    }
  }
}
