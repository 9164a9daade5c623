package io.idlalayer.benchmarks.campaign.input;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws application files and inputs that a run refuses before it starts, with words that the
 * refusal must have.
 */
final class RefusedCases {
  private static final String ROWS = "1.5,A,no\n2.5,B,yes\n-1.5,A,no\n";
  private static final String HEADER = "x,site,label\n";
  private static final String FILE =
      """
      name: @name@
      input:
        topic: @name@-in
        format: csv
        header: false
        columns: [x, site, label]
        features: [x]
        categorical: [{name: site, buckets: 20}]
        label: label
        classes: ["no", "yes"]
      model: {type: mlp, hidden: [8], standardize: true}
      update: {rule: count, count: 64, max-wait: 1s}
      memory: {hot-bytes: 0}
      kafka: {topic-prefix: "@name@-"}
      """;
  private static final byte[] XZ = {(byte) 0xfd, '7', 'z', 'X', 'Z', 0, 0, 4, 1, 2, 3, 4};
  private static final byte[] ZSTD = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 1, 2, 3, 4};
  private static final byte[] PARQUET = {'P', 'A', 'R', '1', 0x15, 4, 0x15, 8};

  private static final List<Refused> ALL =
      List.of(
          change("a feature twice", "features: [x]", "features: [x, x]", "\\bx\\b"),
          change("the label is a feature", "features: [x]", "features: [x, label]", "label"),
          change("a column twice", "[x, site, label]", "[x, site, label, x]", "\\bx\\b"),
          change(
              "topics that meet", "\"@name@-\"}", "\"@name@-\", status-topic: @name@-in}", "-in"),
          new Refused(
              "topics that differ in a dot",
              FILE.replace("topic: @name@-in", "topic: @name@.in")
                  .replace("\"@name@-\"}", "\"@name@-\", status-topic: @name@_in}"),
              plain(),
              List.of(),
              List.of("[._]in")),
          change("an unknown key", "header: false", "heder: false", "heder"),
          change("a class twice", "[\"no\", \"yes\"]", "[\"no\", \"no\"]", "(?i)class"),
          change(
              "a class without a name", "[\"no\", \"yes\"]", "[\"no\", \"\"]", "(?i)class|empty"),
          change("one class", "[\"no\", \"yes\"]", "[\"no\"]", "(?i)class"),
          change("a delimiter with a quote", "header: false", "delimiter: '\"'", "delimiter"),
          change("an encoding that is none", "header: false", "encoding: utf-99", "encoding"),
          change("a line end as delimiter", "header: false", "delimiter: \"\\n\"", "delimiter"),
          change(
              "equal separators",
              "header: false",
              "decimal: \",\"\n  thousands: \",\"",
              "thousands|decimal"),
          new Refused(
              "means without scaling",
              FILE.replace("standardize: true", "standardize: false")
                  .replace("header: false", "missing: mean"),
              plain(),
              List.of(),
              List.of("standardize|mean")),
          change(
              "a network that does not fit",
              "hidden: [8]",
              "hidden: [100000, 100000]",
              "hidden|GiB"),
          change("a column that is not there", "features: [x]", "features: [y]", "\\by\\b"),
          header("another name", HEADER.replace("site", "Site"), "Site", "site"),
          header("columns in another order", "x,label,site\n", "label", "site"),
          header("an invisible character", HEADER.replace("site", "\u00a0sit\u200be"), "site"),
          header("a column too few", "x,site\n", "label"),
          header("a column too many", "x,site,label,more\n", "more"),
          header("another delimiter", "x;site;label\n", "delimiter|x;site"),
          header("no header", "", "1\\.5"),
          file("an empty file with a header", true, new byte[0], "empty"),
          file("UTF-32", false, utf32(), "UTF-32"),
          file("xz", false, XZ, "(?i)xz"),
          file("zstd", false, ZSTD, "(?i)zst"),
          file("Parquet", false, PARQUET, "(?i)parquet"),
          file("a zip archive of two files", false, twoFiles(), "(?i)zip"),
          json(
              "an array",
              "[{\"x\": 1, \"label\": \"no\"},\n {\"x\": 2, \"label\": \"yes\"}]\n",
              "array"),
          json("objects over lines", "{\n  \"x\": 1,\n  \"label\": \"no\"\n}\n", "line"),
          new Refused(
              "a share above 1",
              FILE,
              plain(),
              List.of("--allow-malformed", "2"),
              List.of("share")),
          new Refused("a limit of 0", FILE, plain(), List.of("--limit", "0"), List.of("--limit")));

  private RefusedCases() {}

  private record Refused(
      String about, String file, byte[] input, List<String> options, List<String> words) {}

  private static Refused change(String about, String from, String to, String word) {
    String changed = FILE.replace(from, to);
    if (changed.equals(FILE)) {
      throw new IllegalStateException("nothing is changed: " + about);
    }
    return new Refused(about, changed, plain(), List.of(), List.of(word));
  }

  private static Refused header(String about, String header, String... words) {
    return new Refused(
        "the header has " + about,
        FILE.replace("header: false", "header: true"),
        (header + ROWS).getBytes(StandardCharsets.UTF_8),
        List.of(),
        List.of(words));
  }

  private static Refused file(String about, boolean header, byte[] content, String word) {
    String file = FILE.replace("header: false", "header: " + header);
    return new Refused(about, file, content, List.of(), List.of(word));
  }

  private static Refused json(String about, String content, String word) {
    String file =
        FILE.replace("format: csv\n  header: false\n  columns: [x, site, label]", "format: json");
    return new Refused(
        about, file, content.getBytes(StandardCharsets.UTF_8), List.of(), List.of(word));
  }

  private static byte[] plain() {
    return ROWS.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] utf32() {
    return ("\ufeff" + ROWS).getBytes(Charset.forName("UTF-32LE"));
  }

  private static byte[] twoFiles() {
    try {
      return FileBytes.zip(plain(), "a.csv", "b.csv");
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  static InputCase draw(SplittableRandom random) {
    return of(ALL.get(random.nextInt(ALL.size())));
  }

  static List<InputCase> all() {
    return ALL.stream().map(RefusedCases::of).toList();
  }

  private static InputCase of(Refused refused) {
    String suffix = refused.file().contains("format: json") ? ".jsonl" : ".csv";
    return new InputCase(
        List.of("refused: " + refused.about()),
        refused.file(),
        "in" + suffix,
        refused.input(),
        refused.options(),
        List.of(),
        Expected.refused(refused.words()));
  }
}
