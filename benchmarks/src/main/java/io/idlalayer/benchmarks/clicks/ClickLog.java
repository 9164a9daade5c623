package io.idlalayer.benchmarks.clicks;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.CriteoTsvSampleDecoder;
import io.idlalayer.middleware.sample.format.CsvSampleDecoder;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Logs of two classes: clicked or not, liked or not. */
public enum ClickLog {
  /** Numbers and 26 categories. */
  CRITEO("criteo_kaggle_head_rows1-6000.tsv.gz", false),
  /** Four stars and more are liked. */
  MOVIELENS("movielens100k_by_time_rows1-80000.tsv.gz", false),
  /** Categories only. */
  AVAZU("avazu_14102100_rows1-7500.csv.gz", true);

  private static final int RATING_COLUMN = 2;
  private static final List<String> AVAZU_COLUMNS =
      List.of(
          "id",
          "click",
          "hour",
          "C1",
          "banner_pos",
          "site_id",
          "site_domain",
          "site_category",
          "app_id",
          "app_domain",
          "app_category",
          "device_id",
          "device_ip",
          "device_model",
          "device_type",
          "device_conn_type",
          "C14",
          "C15",
          "C16",
          "C17",
          "C18",
          "C19",
          "C20",
          "C21");

  private final String file;
  private final boolean header;

  ClickLog(String file, boolean header) {
    this.file = file;
    this.header = header;
  }

  /** Text between two fields of a row. */
  String delimiter() {
    return this == AVAZU ? "," : "\t";
  }

  /** Position of the label among the fields of a row. */
  int labelColumn() {
    return switch (this) {
      case CRITEO -> 0;
      case MOVIELENS -> RATING_COLUMN;
      case AVAZU -> AVAZU_COLUMNS.indexOf("click");
    };
  }

  /**
   * Reads the rows as text, without a header and with labels of two classes.
   *
   * @param data directory with the folder {@code ctr}
   */
  List<String> rows(Path data) throws IOException {
    List<String> rows = new ArrayList<>();
    try (LineRecordReader reader = LineRecordReader.open(path(data))) {
      while (reader.next()) {
        rows.add(new String(record(reader.record()), StandardCharsets.UTF_8));
      }
    }
    return header ? rows.subList(1, rows.size()) : rows;
  }

  private Path path(Path data) {
    return data.resolve("ctr").resolve(file);
  }

  private static Label label(String name) {
    return new Label(name, Task.CLASSIFICATION, List.of("0", "1"));
  }

  private List<String> columns() {
    return switch (this) {
      case CRITEO -> List.of();
      case MOVIELENS -> List.of("user", "item", "liked", "time");
      case AVAZU -> AVAZU_COLUMNS;
    };
  }

  /** Names of all categories. */
  List<String> categories() {
    return switch (this) {
      case CRITEO ->
          IntStream.rangeClosed(1, CriteoTsvSampleDecoder.CATEGORIES)
              .mapToObj(i -> "c" + i)
              .toList();
      case MOVIELENS -> List.of("user", "item");
      case AVAZU -> AVAZU_COLUMNS.subList(3, AVAZU_COLUMNS.size());
    };
  }

  /**
   * Returns the schema.
   *
   * @param buckets number of buckets of each category as one-hot inputs; 0 for ids with tables
   */
  SampleSchema schema(int buckets) {
    return schema(categories(), buckets);
  }

  /** Returns a schema with some of the categories, and the numbers. */
  SampleSchema schema(List<String> some, int buckets) {
    List<DenseFeature> dense =
        this == CRITEO
            ? IntStream.rangeClosed(1, CriteoTsvSampleDecoder.INTEGERS)
                .mapToObj(i -> DenseFeature.of("i" + i))
                .toList()
            : List.of();
    List<CategoricalFeature> oneHot =
        buckets == 0
            ? List.of()
            : some.stream().map(name -> new CategoricalFeature(name, buckets)).toList();
    List<IdFeature> ids =
        buckets == 0 ? some.stream().map(name -> new IdFeature(name, 1)).toList() : List.of();
    Label label =
        switch (this) {
          case CRITEO -> label("label");
          case MOVIELENS -> label("liked");
          case AVAZU -> label("click");
        };
    return new SampleSchema(columns(), dense, oneHot, ids, label, null);
  }

  private SampleDecoder decoder(SampleSchema schema) {
    return switch (this) {
      case CRITEO -> new CriteoTsvSampleDecoder(schema, EventEncoding.UTF_8);
      case MOVIELENS -> new CsvSampleDecoder(schema, TextForm.delimited("\t"));
      case AVAZU -> new CsvSampleDecoder(schema, TextForm.PLAIN);
    };
  }

  /**
   * Reads the log.
   *
   * @param data directory with the folder {@code ctr}
   * @throws IOException naming the file and the line that cannot be used
   */
  public List<Sample> read(Path data, SampleSchema schema) throws IOException {
    Path path = path(data);
    SampleDecoder decoder = decoder(schema);
    List<Sample> samples = new ArrayList<>();
    int line = 0;
    try (LineRecordReader reader = LineRecordReader.open(path)) {
      while (reader.next()) {
        line++;
        if (line == 1 && header) {
          continue;
        }
        try {
          samples.add(decoder.decode(record(reader.record())));
        } catch (MalformedSampleException malformed) {
          throw new IOException("%s line %d: %s".formatted(path, line, malformed.getMessage()));
        }
      }
    }
    return samples;
  }

  /** With the rating as two classes. */
  private byte[] record(byte[] line) {
    if (this != MOVIELENS) {
      return line;
    }
    String[] fields = new String(line, StandardCharsets.UTF_8).split("\t");
    fields[RATING_COLUMN] = Integer.parseInt(fields[RATING_COLUMN]) >= 4 ? "1" : "0";
    return String.join("\t", fields).getBytes(StandardCharsets.UTF_8);
  }
}
