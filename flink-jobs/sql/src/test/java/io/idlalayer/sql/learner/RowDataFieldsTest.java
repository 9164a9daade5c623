package io.idlalayer.sql.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.stream.EventWriter;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.format.PlainFieldDecoder;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;

/** Rows of tables against JSON events with the same values. */
final class RowDataFieldsTest {
  private static final RowType TYPE =
      (RowType)
          DataTypes.ROW(
                  DataTypes.FIELD("tiny", DataTypes.TINYINT()),
                  DataTypes.FIELD("small", DataTypes.SMALLINT()),
                  DataTypes.FIELD("number", DataTypes.INT()),
                  DataTypes.FIELD("big", DataTypes.BIGINT()),
                  DataTypes.FIELD("single", DataTypes.FLOAT()),
                  DataTypes.FIELD("real", DataTypes.DOUBLE()),
                  DataTypes.FIELD("money", DataTypes.DECIMAL(20, 4)),
                  DataTypes.FIELD("truth", DataTypes.BOOLEAN()),
                  DataTypes.FIELD("wide", DataTypes.ARRAY(DataTypes.FLOAT())),
                  DataTypes.FIELD("at", DataTypes.TIMESTAMP(3)),
                  DataTypes.FIELD("zoned", DataTypes.TIMESTAMP_LTZ(3)),
                  DataTypes.FIELD("day", DataTypes.DATE()),
                  DataTypes.FIELD("site", DataTypes.STRING()),
                  DataTypes.FIELD("code", DataTypes.CHAR(4)),
                  DataTypes.FIELD("count", DataTypes.BIGINT()),
                  DataTypes.FIELD("user", DataTypes.BIGINT()),
                  DataTypes.FIELD("tags", DataTypes.ARRAY(DataTypes.STRING())),
                  DataTypes.FIELD("label", DataTypes.INT()),
                  DataTypes.FIELD("id", DataTypes.STRING()),
                  DataTypes.FIELD("weight", DataTypes.DOUBLE()))
              .getLogicalType();

  private final ApplicationSettings application = application();
  private final SampleDecoder decoder = SampleDecoders.ofInput(application.input());
  private final PlainFieldDecoder plainDecoder = SampleDecoders.ofFields(application.input());
  private final SampleCodec codec = new SampleCodec();
  private final RowDataFields fields = RowDataFields.of(TYPE);
  private final EventWriter writer = new EventWriter("id");

  private static ApplicationSettings application() {
    try {
      Path file = Files.createTempFile("app", ".yaml");
      Files.writeString(
          file,
          """
          name: app
          input:
            missing: zero
            features: [tiny, small, number, big, single, real, money, truth, {name: wide, width: 3},
              {name: at, time: [hour, weekday]}, {name: zoned, time: [hour]}, {name: day, time: [month]}]
            categorical: [{name: site, buckets: 50}, {name: code, buckets: 50}, {name: count, buckets: 50}]
            ids: [user, {name: tags, at-most: 5}]
            label: label
            classes: 3
            id: id
            weight: {name: weight, default: 1}
          model: {type: dlrm}
          embeddings: {dim: 16}
          """);
      ApplicationSettings read = ApplicationFileReader.read(file, name -> null);
      Files.delete(file);
      return read;
    } catch (Exception wrong) {
      throw new IllegalStateException(wrong);
    }
  }

  private byte[] sample(byte[] event) throws MalformedSampleException {
    return codec.encode(decoder.decode(event));
  }

  /** A row, and the fields of the JSON event with the same values. */
  private static final class Both {
    final GenericRowData row = new GenericRowData(TYPE.getFieldCount());
    final List<String> json = new ArrayList<>();

    void set(String name, Object value, String text) {
      row.setField(TYPE.getFieldIndex(name), value);
      json.add("\"" + name + "\": " + text);
    }

    byte[] event() {
      return ("{" + String.join(", ", json) + "}").getBytes(StandardCharsets.UTF_8);
    }
  }

  @Property(tries = 2_000)
  void write_anyRow_givesTheSampleOfTheSameJsonEvent(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Both both = new Both();
    if (random.nextInt(8) > 0) {
      numbers(both, random);
    }
    if (random.nextInt(8) > 0) {
      times(both, random);
    }
    if (random.nextInt(8) > 0) {
      texts(both, random);
    }
    if (random.nextInt(4) > 0) {
      int label = random.nextInt(3);
      both.set("label", label, Integer.toString(label));
    }
    writer.begin();
    fields.write(both.row, writer);
    assertThat(sample(writer.json())).isEqualTo(sample(both.event()));
    Sample plain = plainDecoder.decode(writer.names(), writer.values());
    assertThat(plain).as("such rows are decoded without a text").isNotNull();
    assertThat(codec.encode(plain)).isEqualTo(sample(both.event()));
  }

  private static void numbers(Both both, SplittableRandom random) {
    byte tiny = (byte) random.nextInt();
    short small = (short) random.nextInt();
    int number = random.nextInt();
    long big = random.nextLong();
    float single = (random.nextInt(2_000_001) - 1_000_000) / 7f;
    double real = (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(-30, 30));
    BigDecimal money = BigDecimal.valueOf(random.nextLong(1L << 50), 4);
    both.set("tiny", tiny, Byte.toString(tiny));
    both.set("small", small, Short.toString(small));
    both.set("number", number, Integer.toString(number));
    both.set("big", big, Long.toString(big));
    both.set("single", single, Float.toString(single));
    both.set("real", real, Double.toString(real));
    both.set("money", DecimalData.fromBigDecimal(money, 20, 4), money.toPlainString());
    both.set("truth", number > 0, Boolean.toString(number > 0));
    both.set(
        "wide",
        new GenericArrayData(new float[] {single, tiny, small}),
        "[%s, %s, %s]"
            .formatted(Float.toString(single), Float.toString(tiny), Float.toString(small)));
    both.set("weight", Math.abs(real), Double.toString(Math.abs(real)));
  }

  private static void times(Both both, SplittableRandom random) {
    Instant at = Instant.ofEpochMilli(random.nextLong(1L << 41));
    String text = at.toString();
    TimestampData data = TimestampData.fromEpochMillis(at.toEpochMilli());
    both.set("at", data, '"' + text.substring(0, text.length() - 1) + '"');
    both.set("zoned", data, '"' + text + '"');
    LocalDate day = LocalDate.ofEpochDay(random.nextInt(20_000));
    both.set("day", (int) day.toEpochDay(), "\"" + day + '"');
  }

  private static void texts(Both both, SplittableRandom random) {
    String site = random.nextBoolean() ? "s" + random.nextInt(99) : "ö " + random.nextInt(9);
    both.set("site", StringData.fromString(site), '"' + site + '"');
    both.set("code", StringData.fromString("ab  "), "\"ab\"");
    long count = random.nextLong();
    both.set("count", count, Long.toString(count));
    both.set("user", -count, Long.toString(-count));
    both.set(
        "tags",
        new GenericArrayData(new Object[] {StringData.fromString(site), null}),
        "[\"%s\", null]".formatted(site));
    both.set("id", StringData.fromString("e" + count), "\"e" + count + '"');
  }

  @Example
  void withdraws_oldAndDeletedRows() {
    GenericRowData row = new GenericRowData(TYPE.getFieldCount());
    for (RowKind kind : RowKind.values()) {
      row.setRowKind(kind);
      assertThat(fields.withdraws(row))
          .isEqualTo(kind == RowKind.DELETE || kind == RowKind.UPDATE_BEFORE);
    }
  }
}
