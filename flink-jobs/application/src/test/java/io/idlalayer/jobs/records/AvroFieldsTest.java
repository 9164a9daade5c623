package io.idlalayer.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.registry.RegisteredSchema;
import io.idlalayer.jobs.registry.RegistryStandIn;
import io.idlalayer.jobs.registry.RegistryUnavailableException;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.avro.Conversions;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AvroFieldsTest {
  private static final String GEO =
      "{'type':'record','name':'Geo','namespace':'shop','fields':["
          + "{'name':'country','type':['null','string']},{'name':'zip','type':'bytes'}]}";

  private static final String CLICK =
      "{'type':'record','name':'Click','namespace':'shop','fields':["
          + "{'name':'key','type':'string'},"
          + "{'name':'price','type':{'type':'bytes','logicalType':'decimal','precision':9,'scale':2}},"
          + "{'name':'at','type':{'type':'long','logicalType':'timestamp-micros'}},"
          + "{'name':'day','type':{'type':'int','logicalType':'date'}},"
          + "{'name':'share','type':'float'},"
          + "{'name':'kind','type':{'type':'enum','name':'Kind','symbols':['WEB','APP']}},"
          + "{'name':'geo','type':['null','shop.Geo']},"
          + "{'name':'tags','type':{'type':'array','items':['null','string','long']}},"
          + "{'name':'attributes','type':{'type':'map','values':['double','boolean']}},"
          + "{'name':'inner','type':['null','Click']},"
          + "{'name':'clicked','type':['null','boolean']}]}";

  private static final SampleSchema FIELDS =
      new SampleSchema(
          List.of(),
          List.of(
              DenseFeature.of("price"),
              DenseFeature.of("at"),
              DenseFeature.of("day"),
              DenseFeature.of("share"),
              new DenseFeature(
                  "attributes[\"a.b\"]",
                  1,
                  1,
                  new SampleSchema.Reading(Missing.ZERO, false, List.of(), List.of()))),
          List.of(new CategoricalFeature("kind", 100), new CategoricalFeature("geo.country", 100)),
          List.of(new IdFeature("tags", 3)),
          new SampleSchema.Label(
              "clicked", SampleSchema.Task.CLASSIFICATION, List.of("false", "true")),
          "key");

  private static String quotes(String schema) {
    return schema.replace('\'', '"');
  }

  private static Schema schema() {
    Schema.Parser parser = new Schema.Parser();
    Schema unused = parser.parse(quotes(GEO));
    return parser.parse(quotes(CLICK));
  }

  private static RecordSchemas file(String schema) {
    return new RecordSchemas(
        null, new RecordSchemas.SchemaFile("/x.avsc", schema.getBytes(StandardCharsets.UTF_8), ""));
  }

  private static SampleDecoder decoder(SampleSchema fields, String schema) {
    return RecordSampleDecoder.avro(fields, EventParts.WHOLE, file(schema));
  }

  private static GenericRecord click(Schema schema) {
    GenericRecord click = new GenericData.Record(schema);
    click.put("key", "k1");
    Schema price = schema.getField("price").schema();
    click.put(
        "price",
        new Conversions.DecimalConversion()
            .toBytes(new BigDecimal("-12.50"), price, price.getLogicalType()));
    click.put("at", 1_700_000_000_123_456L);
    click.put("day", 19_000);
    click.put("share", 0.1f);
    click.put("kind", new GenericData.EnumSymbol(schema.getField("kind").schema(), "APP"));
    Schema geoSchema = schema.getField("geo").schema().getTypes().get(1);
    GenericRecord geo = new GenericData.Record(geoSchema);
    geo.put("country", "D\u00c4\"");
    geo.put("zip", ByteBuffer.wrap(new byte[] {1, 2}));
    click.put("geo", geo);
    click.put("tags", Arrays.asList("x", null, 17L));
    click.put("attributes", Map.of("a.b", 2.5, "c", true));
    click.put("clicked", true);
    return click;
  }

  private static byte[] encoded(GenericRecord record) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
    encoder.flush();
    return bytes.toByteArray();
  }

  private static byte[] framed(int id, byte[] record) {
    return ByteBuffer.allocate(5 + record.length).put((byte) 0).putInt(id).put(record).array();
  }

  private static String reason(SampleDecoder decoder, byte[] event) {
    try {
      return "decoded: " + decoder.decode(event);
    } catch (MalformedSampleException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  @Test
  void decode_aRecord_hasItsValues() throws Exception {
    Schema schema = schema();

    Sample sample = decoder(FIELDS, schema.toString()).decode(encoded(click(schema)));

    assertThat(sample.id()).isEqualTo("k1");
    assertThat(sample.dense()).containsExactly(-12.5, 1_700_000_000_123_456L, 19_000, 0.1, 2.5);
    assertThat(sample.label()).isEqualTo(1);
    assertThat(sample.categorical()).doesNotContain(0);
    assertThat(sample.ids().size()).isEqualTo(2);
  }

  @Test
  void decode_timeStamps_goByTheirLogicalTypes() throws Exception {
    SampleSchema.Reading seconds =
        new SampleSchema.Reading(Missing.REFUSE, false, List.of(), List.of(TimePart.SECONDS));
    SampleSchema times =
        new SampleSchema(
            List.of(),
            List.of(new DenseFeature("at", 1, 1, seconds), new DenseFeature("day", 1, 1, seconds)),
            List.of(),
            List.of(),
            new SampleSchema.Label("share", SampleSchema.Task.REGRESSION, List.of()),
            null);
    Schema schema = schema();
    GenericRecord early = click(schema);
    // As a bare number this would be taken for seconds.
    early.put("at", 5_000_000L);

    assertThat(decoder(times, schema.toString()).decode(encoded(click(schema))).dense())
        .containsExactly(1_700_000_000.123456, 19_000 * 86_400.0);
    assertThat(decoder(times, schema.toString()).decode(encoded(early)).dense()[0]).isEqualTo(5);
  }

  @Test
  void decode_missingAndUnusableValues_nameSchemaFieldAndType() throws Exception {
    Schema schema = schema();
    SampleDecoder decoder = decoder(FIELDS, schema.toString());
    GenericRecord noGeo = click(schema);
    noGeo.put("geo", null);

    assertThat(decoder.decode(encoded(noGeo)).categorical()[1]).isZero();
    String by = "; the schema of input.schema-file has ";
    assertThat(reason(decoder(with("kind"), schema.toString()), encoded(click(schema))))
        .isEqualTo("kind: 'APP' is not a number" + by + "enum Kind at 'kind'");
    assertThat(reason(decoder(with("geo"), schema.toString()), encoded(click(schema))))
        .isEqualTo("geo: an object where a value is expected" + by + "null or record Geo at 'geo'");
    assertThat(reason(decoder(with("geo.zip"), schema.toString()), encoded(click(schema))))
        .isEqualTo("geo.zip: bytes where a number or text is expected" + by + "bytes at 'geo.zip'");
    assertThat(reason(decoder(with("geo.town"), schema.toString()), encoded(click(schema))))
        .isEqualTo("geo.town: missing; the event has no 'geo.town'" + by + "no 'geo.town'");
    assertThat(reason(decoder(with("geo.country"), schema.toString()), encoded(noGeo)))
        .isEqualTo(
            "geo.country: missing; the event has null at 'geo'"
                + by
                + "null or string at 'geo.country'");
    assertThat(reason(decoder(with("tags.x"), schema.toString()), encoded(click(schema))))
        .startsWith("tags.x: 'tags' is an array; a position such as [0] must follow in the path");
  }

  private static SampleSchema with(String feature) {
    return new SampleSchema(
        List.of(),
        List.of(DenseFeature.of(feature)),
        List.of(),
        List.of(),
        new SampleSchema.Label("share", SampleSchema.Task.REGRESSION, List.of()),
        null);
  }

  @Test
  void decode_byRegistry_evolvesWithItsSchemas() throws Exception {
    try (RegistryStandIn server = RegistryStandIn.start()) {
      RegisteredSchema.Reference geo = new RegisteredSchema.Reference("shop.Geo", "geo-value", 3);
      server.add("geo-value", 3, "AVRO", quotes(GEO));
      server.add(1, "AVRO", quotes(CLICK), geo);
      server.add(2, "AVRO", evolved("'string'"));
      server.add(3, "AVRO", evolved("{'type':'map','values':'int'}"));
      server.add(4, "JSON", "{}");
      server.add(5, "AVRO", "{\"type\":\"recrod\"}");
      server.add(6, "AVRO", "\"string\"");
      SampleDecoder decoder =
          RecordSampleDecoder.avro(
              FIELDS, EventParts.WHOLE, new RecordSchemas(server.settings(2_000), null));

      Sample first = decoder.decode(framed(1, encoded(click(schema()))));
      Schema second = new Schema.Parser().parse(evolved("'string'"));
      GenericRecord record = new GenericData.Record(second);
      record.put("share", 0.1f);
      record.put("key", "k1");
      record.put("price", "-12.5");
      record.put("day", 19_000);
      record.put("at", 1L);
      Sample evolved = decoder.decode(framed(2, encoded(record)));

      assertThat(first.dense()[0]).isEqualTo(-12.5);
      assertThat(evolved.dense()).containsExactly(-12.5, 1, 19_000, 0.1, 0);
      assertThat(evolved.categorical()).containsExactly(0, 0);
      assertThat(evolved.labeled()).isFalse();
      Schema third = new Schema.Parser().parse(evolved("{'type':'map','values':'int'}"));
      GenericRecord unusable = new GenericData.Record(third);
      record.getSchema().getFields().forEach(it -> unusable.put(it.name(), record.get(it.pos())));
      unusable.put("price", Map.of("amount", 1));
      assertThat(reason(decoder, framed(3, encoded(unusable))))
          .isEqualTo("price: an object where a value is expected; schema 3 has map at 'price'");
      assertThat(reason(decoder, framed(4, new byte[3])))
          .isEqualTo("event: schema 4 is of type JSON; input.format is avro");
      assertThat(reason(decoder, framed(5, new byte[3])))
          .startsWith("event: schema 5 cannot be read as Avro: ");
      assertThat(reason(decoder, framed(6, new byte[3])))
          .isEqualTo("event: schema 6 is of type string; a record is expected");
      assertThat(reason(decoder, framed(9, new byte[3])))
          .isEqualTo("event: the schema registry has no schema 9");
      assertThat(reason(decoder, framed(9, new byte[3]))).contains("no schema 9");
      assertThat(server.asked()).hasSize(8);
      assertThat(reason(decoder, new byte[] {0, 0, 0, 1})).contains("does not begin with a zero");
      assertThat(reason(decoder, "{\"a\":1}".getBytes(StandardCharsets.UTF_8)))
          .contains("does not begin with a zero byte");
      assertThat(reason(decoder, framed(-1, new byte[3]))).contains("does not begin with a zero");

      server.fail(RegistryStandIn.status(403, ""));
      assertThat(decoder.decode(framed(1, encoded(click(schema()))))).isNotNull();
      assertThatThrownBy(() -> decoder.decode(framed(10, new byte[3])))
          .isInstanceOf(RegistryUnavailableException.class);
    }
  }

  /** Returns a later schema: some fields left, the others have another order and type. */
  private static String evolved(String price) {
    return quotes(
        "{'type':'record','name':'Click','namespace':'shop','fields':["
            + "{'name':'share','type':'float'},{'name':'key','type':'string'},"
            + "{'name':'price','type':"
            + price
            + "},{'name':'day','type':'int'},{'name':'at','type':'long'}]}");
  }

  @Test
  void decode_cutAndTrailingBytes_areRefused() throws Exception {
    Schema schema = schema();
    SampleDecoder decoder = decoder(FIELDS, schema.toString());
    byte[] event = encoded(click(schema));

    for (int length = 0; length < event.length; length++) {
      assertThat(reason(decoder, Arrays.copyOf(event, length)))
          .doesNotStartWith("decoded")
          .doesNotContain("Exception");
    }
    assertThat(reason(decoder, Arrays.copyOf(event, event.length + 1)))
        .startsWith("event: it goes on after the record");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // A record in itself, without an end.
        "{'type':'record','name':'A','fields':[{'name':'a','type':'A'}]}",
        // 2^60 values that take no bytes.
        "{'type':'record','name':'N0','fields':[{'name':'a','type':%s},{'name':'b','type':'N1'}]}",
        "{'type':'record','name':'A','fields':[{'name':'x','type':{'type':'array','items':'null'}}]}",
        "{'type':'record','name':'A','fields':[{'name':'x','type':{'type':'array','items':"
            + "{'type':'record','name':'E','fields':[]}}}]}",
        "{'type':'record','name':'A','fields':[{'name':'x','type':'string'}]}",
        "{'type':'record','name':'A','fields':[{'name':'x','type':'bytes'}]}",
        "{'type':'record','name':'A','fields':[{'name':'x','type':{'type':'map','values':'null'}}]}",
        "{'type':'record','name':'A','fields':[{'name':'x','type':"
            + "{'type':'fixed','name':'F','size':2000000000}}]}",
        "{'type':'record','name':'A','fields':[{'name':'x','type':"
            + "{'type':'bytes','logicalType':'decimal','precision':1000000000,'scale':999999999}}]}",
        "{'type':'record','name':'A','fields':[{'name':'x','type':['null','A']}]}",
        "{'type':'record','name':'A','fields':[{'name':'x','type':{'type':'array','items':'A'}}]}",
      })
  void decode_hostileSchemasAndRecords_endSoonInARefusal(String text) throws Exception {
    String schema = quotes(text);
    if (schema.contains("N0")) {
      String inner = "{\"type\":\"record\",\"name\":\"N60\",\"fields\":[]}";
      for (int i = 59; i > 0; i--) {
        inner =
            "{\"type\":\"record\",\"name\":\"N%d\",\"fields\":[{\"name\":\"a\",\"type\":%s},{\"name\":\"b\",\"type\":\"N%d\"}]}"
                .formatted(i, inner, i + 1);
      }
      schema = schema.formatted(inner);
    }
    byte[][] events = {
      new byte[0],
      new byte[100_000],
      filled(100_000, 2),
      filled(100_000, 1),
      filled(100, 0xff),
      // A block of 2^62 elements, and of -1 element that goes back by a million bytes.
      varints(1L << 62, 0),
      varints(-1, -1_000_000, 0, 0),
      varints(-1, -4, 0, 0),
      varints(Long.MIN_VALUE, 5),
      varints(Integer.MAX_VALUE - 20L),
      varints(1_000_000_000L),
      varints(-5),
    };
    for (String field : List.of("x", "x[1]", "x.y", "unknown")) {
      SampleDecoder decoder = decoder(with(field), schema);
      for (byte[] event : events) {
        Assertions.assertTimeout(
            Duration.ofSeconds(2),
            () -> assertThat(reason(decoder, event)).doesNotContain("OutOfMemory"));
      }
    }
  }

  private static byte[] filled(int length, int with) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) with);
    return bytes;
  }

  private static byte[] varints(long... numbers) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    for (long number : numbers) {
      encoder.writeLong(number);
    }
    encoder.flush();
    return bytes.toByteArray();
  }

  @Test
  void decode_textThatIsNoUtf8_isRefused() {
    String schema = quotes("{'type':'record','name':'A','fields':[{'name':'x','type':'string'}]}");

    assertThat(reason(decoder(with("x"), schema), new byte[] {4, 'a', (byte) 0xc3}))
        .startsWith("x: its text is not UTF-8");
  }
}
