package io.idlalayer.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.path.FoundFields;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.ValueText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** Compares random records, by random schemas and paths, with the same records as JSON. */
class AvroFieldsPropertyTest {
  private static final List<String> KEYS = List.of("a", "b.c", "", "k\"");

  private final Random random = new Random();
  private int named;

  @Property(tries = 4_000)
  void decode_randomRecords_areTheSamplesOfTheirJson(@ForAll long seed) throws Exception {
    random.setSeed(seed);
    named = 0;
    Schema schema = record(3);
    SampleSchema fields = fields(schema);
    SampleDecoder avro =
        RecordSampleDecoder.avro(
            fields,
            EventParts.JOINED,
            new RecordSchemas(
                null,
                new RecordSchemas.SchemaFile(
                    "/x.avsc", schema.toString().getBytes(StandardCharsets.UTF_8), "")));
    SampleDecoder json = new JsonSampleDecoder(fields, EventEncoding.UTF_8, EventParts.JOINED);
    for (int i = 0; i < 3; i++) {
      GenericRecord record = (GenericRecord) value(schema);
      StringBuilder text = new StringBuilder();
      write(record, text);

      String expected = decoded(json, text.toString().getBytes(StandardCharsets.UTF_8));
      assertThat(decoded(avro, encoded(record)))
          .as("%s of %s by %s", fields.fieldNames(), text, schema)
          .isEqualTo(expected);
    }
  }

  @Property(tries = 2_000)
  void decode_changedBytes_areASampleOrRefused(@ForAll long seed) throws Exception {
    random.setSeed(seed);
    named = 0;
    Schema schema = record(3);
    SampleDecoder avro =
        RecordSampleDecoder.avro(
            fields(schema),
            EventParts.JOINED,
            new RecordSchemas(
                null,
                new RecordSchemas.SchemaFile(
                    "/x.avsc", schema.toString().getBytes(StandardCharsets.UTF_8), "")));
    byte[] event = encoded((GenericRecord) value(schema));
    for (int i = 0; i < 10 && event.length > 0; i++) {
      byte[] changed =
          random.nextBoolean() ? event.clone() : Arrays.copyOf(event, random.nextInt(event.length));
      for (int k = random.nextInt(4); k > 0 && changed.length > 0; k--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
      }
      // Never another exception.
      assertThat(decoded(avro, changed)).isNotEmpty();
    }
  }

  /** Returns the sample, or that the event was refused: for the first of its faults by order. */
  private static String decoded(SampleDecoder decoder, byte[] event) {
    try {
      return HexFormat.of().formatHex(new SampleCodec().encode(decoder.decode(event)));
    } catch (MalformedSampleException refused) {
      return "refused";
    }
  }

  private SampleSchema fields(Schema schema) {
    Set<String> names = new LinkedHashSet<>();
    for (int i = 0; i < 9; i++) {
      names.add(path(schema));
    }
    List<String> all = new ArrayList<>(names);
    List<DenseFeature> dense = new ArrayList<>();
    List<CategoricalFeature> categorical = new ArrayList<>();
    List<IdFeature> ids = new ArrayList<>();
    String id = null;
    for (String name : all) {
      switch (random.nextInt(8)) {
        case 0, 1 ->
            dense.add(
                new DenseFeature(
                    name,
                    1 + random.nextInt(2),
                    1,
                    new SampleSchema.Reading(
                        random.nextInt(4) == 0 ? Missing.REFUSE : Missing.ZERO,
                        true,
                        List.of(),
                        List.of())));
        case 2, 3, 4 -> categorical.add(new CategoricalFeature(name, 1_000));
        case 5 -> id = name;
        default -> ids.add(new IdFeature(name, 3));
      }
    }
    categorical.add(new CategoricalFeature("none", 10));
    return new SampleSchema(
        List.of(),
        dense,
        categorical,
        ids,
        new SampleSchema.Label("label", SampleSchema.Task.REGRESSION, List.of()),
        id);
  }

  /** Returns a path that often leads to a value of the schema. */
  private String path(Schema schema) {
    StringBuilder path = new StringBuilder();
    Schema at = schema;
    for (int steps = 0; steps < 6; steps++) {
      if (at.getType() == Schema.Type.UNION) {
        at = at.getTypes().get(random.nextInt(at.getTypes().size()));
      }
      switch (at.getType()) {
        case RECORD -> {
          List<Schema.Field> inner = at.getFields();
          Schema.Field field = inner.get(random.nextInt(inner.size()));
          path.append(path.isEmpty() ? "" : ".").append(field.name());
          at = field.schema();
        }
        case MAP -> {
          String key = KEYS.get(random.nextInt(KEYS.size()));
          path.append("[\"").append(key.replace("\"", "\\\"")).append("\"]");
          at = at.getValueType();
        }
        case ARRAY -> {
          if (random.nextInt(3) == 0) {
            return path.toString();
          }
          path.append('[').append(random.nextInt(3)).append(']');
          at = at.getElementType();
        }
        default -> {
          return random.nextInt(12) == 0 ? path + ".more" : path.toString();
        }
      }
      if (random.nextInt(12) == 0) {
        return path.toString();
      }
    }
    return path.toString();
  }

  private Schema record(int depth) {
    SchemaBuilder.FieldAssembler<Schema> fields = SchemaBuilder.record("R" + named++).fields();
    int count = 1 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      fields = fields.name("f" + i).type(type(depth - 1)).noDefault();
    }
    if (depth == 3 && random.nextInt(4) > 0) {
      fields = fields.name("label").type(Schema.create(Schema.Type.DOUBLE)).noDefault();
    }
    return fields.endRecord();
  }

  private Schema type(int depth) {
    int kind = random.nextInt(depth <= 0 ? 8 : 13);
    return switch (kind) {
      case 0 -> Schema.create(Schema.Type.INT);
      case 1 -> Schema.create(Schema.Type.LONG);
      case 2 -> Schema.create(Schema.Type.FLOAT);
      case 3 -> Schema.create(Schema.Type.DOUBLE);
      case 4 -> Schema.create(Schema.Type.STRING);
      case 5 -> Schema.create(Schema.Type.BOOLEAN);
      case 6 -> Schema.createEnum("E" + named++, null, null, List.of("X", "Y", "Z"));
      case 7 ->
          Schema.createUnion(Schema.create(Schema.Type.NULL), Schema.create(Schema.Type.STRING));
      case 8 -> Schema.createArray(type(depth - 1));
      case 9 -> Schema.createMap(type(depth - 1));
      case 10 -> Schema.createUnion(Schema.create(Schema.Type.NULL), record(depth));
      default -> record(depth);
    };
  }

  private Object value(Schema type) {
    return switch (type.getType()) {
      case INT -> random.nextInt();
      case LONG -> random.nextBoolean() ? random.nextLong() : random.nextInt(100);
      case FLOAT ->
          random.nextInt(20) == 0 ? Float.NaN : (float) random.nextGaussian() * random.nextInt(99);
      case DOUBLE ->
          random.nextInt(20) == 0
              ? Double.NEGATIVE_INFINITY
              : random.nextGaussian() * Math.pow(10, random.nextInt(60) - 30);
      case STRING ->
          random.nextInt(4) == 0 ? "" + random.nextInt() : "\u00e4\"\\\n" + random.nextInt(3);
      case BOOLEAN -> random.nextBoolean();
      case ENUM -> new GenericData.EnumSymbol(type, type.getEnumSymbols().get(random.nextInt(3)));
      case NULL -> null;
      case UNION -> value(type.getTypes().get(random.nextInt(type.getTypes().size())));
      case ARRAY -> {
        List<Object> all = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          all.add(value(type.getElementType()));
        }
        yield all;
      }
      case MAP -> {
        Map<String, Object> all = new LinkedHashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
          all.put(KEYS.get(random.nextInt(KEYS.size())), value(type.getValueType()));
        }
        yield all;
      }
      case RECORD -> {
        GenericRecord record = new GenericData.Record(type);
        type.getFields().forEach(field -> record.put(field.pos(), value(field.schema())));
        yield record;
      }
      default -> throw new IllegalStateException(type.toString());
    };
  }

  private static void write(Object value, StringBuilder to) {
    if (value instanceof GenericRecord record) {
      to.append('{');
      for (Schema.Field field : record.getSchema().getFields()) {
        to.append(field.pos() == 0 ? "" : ",");
        FoundFields.text(to, field.name());
        write(record.get(field.pos()), to.append(':'));
      }
      to.append('}');
    } else if (value instanceof Map<?, ?> map) {
      to.append('{');
      map.forEach(
          (key, each) -> {
            to.append(to.charAt(to.length() - 1) == '{' ? "" : ",");
            FoundFields.text(to, key.toString());
            write(each, to.append(':'));
          });
      to.append('}');
    } else if (value instanceof List<?> list) {
      to.append('[');
      for (int i = 0; i < list.size(); i++) {
        to.append(i == 0 ? "" : ",");
        write(list.get(i), to);
      }
      to.append(']');
    } else {
      boolean number = value instanceof Number each && Double.isFinite(each.doubleValue());
      if (value == null || value instanceof Boolean || number) {
        to.append(value == null ? "null" : ValueText.of(value));
      } else {
        FoundFields.text(to, value.toString());
      }
    }
  }

  private static byte[] encoded(GenericRecord record) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
    encoder.flush();
    return bytes.toByteArray();
  }
}
