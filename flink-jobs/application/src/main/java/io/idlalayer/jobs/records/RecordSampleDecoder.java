package io.idlalayer.jobs.records;

import io.idlalayer.jobs.registry.SchemaRegistry;
import io.idlalayer.jobs.registry.UnknownSchemaException;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.path.FoundFields;
import io.idlalayer.middleware.sample.path.PathTree;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decodes records of Avro or Protobuf. Their declared fields become a flat JSON event, so that one
 * decoder has the rules for all values. With a registry a record begins with a zero byte and the
 * four bytes of its schema's id.
 */
public final class RecordSampleDecoder implements SampleDecoder {
  private static final int PREFIX_BYTES = 5;

  private final SampleDecoder flat;
  private final FoundFields found;
  private final @Nullable SchemaCache schemas;
  private final @Nullable RecordFields only;

  private RecordSampleDecoder(
      SampleSchema schema,
      EventParts parts,
      PathTree tree,
      @Nullable SchemaCache schemas,
      @Nullable RecordFields only) {
    flat = JsonSampleDecoder.ofFlat(schema, parts);
    found = new FoundFields(tree);
    this.schemas = schemas;
    this.only = only;
  }

  /** Returns a decoder of Avro records. */
  public static RecordSampleDecoder avro(
      SampleSchema schema, EventParts parts, RecordSchemas schemas) {
    PathTree tree = new PathTree(schema.fieldNames());
    Set<String> times = times(schema);
    RecordSchemas.SchemaFile file = schemas.file();
    if (file != null) {
      AvroFields only = new AvroFields(AvroSchemas.read(file), tree, times);
      return new RecordSampleDecoder(schema, parts, tree, null, only);
    }
    AvroSchemas registered = new AvroSchemas(registry(schemas), tree, times);
    return new RecordSampleDecoder(schema, parts, tree, cache(registered), null);
  }

  /** Returns a decoder of Protobuf messages. */
  public static RecordSampleDecoder protobuf(
      SampleSchema schema, EventParts parts, RecordSchemas schemas) {
    PathTree tree = new PathTree(schema.fieldNames());
    Set<String> times = times(schema);
    RecordSchemas.SchemaFile file = schemas.file();
    if (file != null) {
      ProtobufFields only = new ProtobufFields(ProtobufSchemas.read(file), tree, times);
      return new RecordSampleDecoder(schema, parts, tree, null, only);
    }
    ProtobufSchemas registered = new ProtobufSchemas(registry(schemas), tree, times);
    return new RecordSampleDecoder(schema, parts, tree, cache(registered), null);
  }

  private static SchemaRegistry registry(RecordSchemas schemas) {
    return new SchemaRegistry(Objects.requireNonNull(schemas.registry()));
  }

  private static SchemaCache cache(WriterSchemas reader) {
    LongSupplier nanos = System::nanoTime;
    return new SchemaCache(reader, nanos);
  }

  /** Returns the names of the fields that are time stamps. */
  private static Set<String> times(SampleSchema schema) {
    Set<String> times = new HashSet<>();
    schema.dense().stream()
        .filter(each -> !each.reading().time().isEmpty())
        .forEach(each -> times.add(each.name()));
    return times;
  }

  @Override
  public Sample decode(byte[] event) throws MalformedSampleException {
    if (only != null) {
      return decode(event, 0, only, "the schema of input.schema-file");
    }
    int id = event.length < PREFIX_BYTES ? -1 : ByteBuffer.wrap(event).getInt(1);
    if (id < 0 || event[0] != 0) {
      throw new MalformedSampleException(
          "event",
          "it does not begin with a zero byte and the four bytes of a schema's id, as records of a"
              + " schema registry do");
    }
    RecordFields fields;
    try {
      fields = Objects.requireNonNull(schemas).get(id);
    } catch (UnknownSchemaException unknown) {
      throw new MalformedSampleException("event", String.valueOf(unknown.getMessage()));
    }
    return decode(event, PREFIX_BYTES, fields, "schema " + id);
  }

  private Sample decode(byte[] event, int from, RecordFields fields, String schema)
      throws MalformedSampleException {
    found.clear();
    try {
      fields.read(event, from, found);
      return flat.decode(found.event());
    } catch (MalformedSampleException refused) {
      MalformedSampleException explained = found.explained(refused);
      throw new MalformedSampleException(
          explained.field(), reason(explained) + described(fields, explained.field(), schema));
    }
  }

  private static String reason(MalformedSampleException refused) {
    return String.valueOf(refused.getMessage()).substring(refused.field().length() + 2);
  }

  private static String described(RecordFields fields, String field, String schema) {
    String described = fields.described(field);
    return described.isEmpty() ? "; by " + schema : "; " + schema + " " + described;
  }
}
