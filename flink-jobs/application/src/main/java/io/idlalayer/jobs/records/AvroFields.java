package io.idlalayer.jobs.records;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.path.FieldPath;
import io.idlalayer.middleware.sample.path.FoundFields;
import io.idlalayer.middleware.sample.path.PathTree;
import io.idlalayer.middleware.sample.text.ShortestText;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * Finds the declared fields in Avro records of one writer schema. This class creates no objects for
 * records, and skips fields that are not declared. Lengths, counts and depths in an event are
 * accepted only if they are possible for an event of its length.
 */
final class AvroFields implements RecordFields {
  /** Deepest nesting of records, arrays and maps. */
  private static final int DEPTH_MAX = 256;

  /**
   * A record can have 16 values for each of its bytes, and in addition this number of values,
   * because some values take no bytes.
   */
  private static final long VALUES_LEAST = 1 << 16;

  private static final int VALUES_OF_BYTE = 16;
  private static final int DECIMAL_BYTES_MAX = 128;
  private static final int DECIMAL_SCALE_MAX = 300;

  private final Schema schema;
  private final PathTree tree;
  private final Set<String> times;

  private @Nullable BinaryDecoder decoder;
  private int length;
  private long values;

  AvroFields(Schema schema, PathTree tree, Set<String> times) {
    this.schema = schema;
    this.tree = tree;
    this.times = times;
  }

  @Override
  public void read(byte[] event, int from, FoundFields found) throws MalformedSampleException {
    BinaryDecoder in = begin(event, from);
    try {
      record(in, schema, tree.root(), found, 0);
      if (!in.isEnd()) {
        throw new MalformedSampleException("event", "it goes on after the record");
      }
    } catch (IOException | RuntimeException | StackOverflowError broken) {
      throw malformed(broken);
    }
  }

  private BinaryDecoder begin(byte[] bytes, int from) {
    length = bytes.length - from;
    values = VALUES_LEAST + VALUES_OF_BYTE * (long) length;
    BinaryDecoder in = DecoderFactory.get().binaryDecoder(bytes, from, length, decoder);
    decoder = in;
    return in;
  }

  private static MalformedSampleException malformed(Throwable broken) {
    return new MalformedSampleException(
        "event",
        broken instanceof java.io.EOFException
            ? "it ends within the record"
            : "it is not a record of its schema: " + broken.getMessage());
  }

  /**
   * Returns the position at which each record ends. The records follow each other without a gap, up
   * to the last byte.
   *
   * @param count number of records, at most the number of bytes
   * @throws MalformedSampleException naming the record if the bytes are not {@code count} records
   *     of the schema, or if a record has no bytes. Other exceptions are never thrown, whatever the
   *     bytes are
   */
  int[] ends(byte[] records, int count) throws MalformedSampleException {
    BinaryDecoder in = begin(records, 0);
    int[] ends = new int[count];
    int before = 0;
    for (int i = 0; i < count; i++) {
      String which = "record " + (i + 1);
      try {
        skip(in, schema, 0);
        ends[i] = records.length - in.inputStream().available();
      } catch (MalformedSampleException refused) {
        throw new MalformedSampleException(which, String.valueOf(refused.getMessage()));
      } catch (IOException | RuntimeException | StackOverflowError broken) {
        throw new MalformedSampleException(which, String.valueOf(malformed(broken).getMessage()));
      }
      if (ends[i] == before) {
        throw new MalformedSampleException(which, "it has no bytes");
      }
      before = ends[i];
    }
    if (before != records.length) {
      throw new MalformedSampleException(
          "record " + count, (records.length - before) + " bytes follow it");
    }
    return ends;
  }

  private void record(
      BinaryDecoder in, Schema record, PathTree.Node node, FoundFields found, int depth)
      throws IOException, MalformedSampleException {
    for (Schema.Field field : record.getFields()) {
      PathTree.Node inner = node.field(field.name());
      if (inner == null) {
        skip(in, field.schema(), depth + 1);
      } else {
        String json = value(in, field.schema(), inner, field.name(), found, depth + 1);
        if (json != null) {
          found.set(inner, json);
        }
      }
    }
  }

  private void count(int depth) throws MalformedSampleException {
    if (depth > DEPTH_MAX) {
      throw new MalformedSampleException(
          "event", "nested deeper than %d records, arrays and maps".formatted(DEPTH_MAX));
    }
    if (--values < 0) {
      throw new MalformedSampleException(
          "event", "it claims to have more values than its bytes can hold");
    }
  }

  private static Schema branch(BinaryDecoder in, Schema union) throws IOException {
    int index = in.readIndex();
    List<Schema> branches = union.getTypes();
    if (index < 0 || index >= branches.size()) {
      throw new IOException("branch %d of a union that has %d".formatted(index, branches.size()));
    }
    return branches.get(index);
  }

  private @Nullable String value(
      BinaryDecoder in, Schema of, PathTree.Node node, String name, FoundFields found, int depth)
      throws IOException, MalformedSampleException {
    return value(in, of, node, name, found, depth, null);
  }

  /**
   * Reads a value at a place; returns the value as JSON if it belongs to a declared field, or is an
   * element of one.
   *
   * @param array place of the declared field of which the value is an element; null if there is
   *     none
   */
  private @Nullable String value(
      BinaryDecoder in,
      Schema of,
      PathTree.Node node,
      String name,
      FoundFields found,
      int depth,
      PathTree.@Nullable Node array)
      throws IOException, MalformedSampleException {
    count(depth);
    Schema type = of.getType() == Schema.Type.UNION ? branch(in, of) : of;
    switch (type.getType()) {
      case RECORD -> {
        found.visit(node, FoundFields.Kind.OBJECT, name);
        record(in, type, node, found, depth);
        return node.valued() ? "{}" : null;
      }
      case MAP -> {
        found.visit(node, FoundFields.Kind.OBJECT, name);
        map(in, type.getValueType(), node, found, depth);
        return node.valued() ? "{}" : null;
      }
      case ARRAY -> {
        found.visit(node, FoundFields.Kind.ARRAY, name);
        return array(in, type.getElementType(), node, name, found, depth);
      }
      default -> {
        boolean isNull = type.getType() == Schema.Type.NULL;
        found.visit(node, isNull ? FoundFields.Kind.NULL : FoundFields.Kind.SCALAR, name);
        PathTree.Node field = node.valued() ? node : array;
        if (field != null) {
          return scalar(in, type, field);
        }
        skip(in, type, depth);
        return null;
      }
    }
  }

  private void map(BinaryDecoder in, Schema type, PathTree.Node node, FoundFields found, int depth)
      throws IOException, MalformedSampleException {
    for (long block = in.readMapStart(); block > 0; block = in.mapNext()) {
      for (long i = 0; i < block; i++) {
        String key = text(in, "event");
        PathTree.Node inner = node.field(key);
        if (inner == null) {
          skip(in, type, depth + 1);
        } else {
          String json = value(in, type, inner, key, found, depth + 1);
          if (json != null) {
            found.set(inner, json);
          }
        }
      }
    }
  }

  private @Nullable String array(
      BinaryDecoder in, Schema type, PathTree.Node node, String name, FoundFields found, int depth)
      throws IOException, MalformedSampleException {
    StringBuilder all = node.valued() ? new StringBuilder("[") : null;
    int index = 0;
    for (long block = in.readArrayStart(); block > 0; block = in.arrayNext()) {
      for (long i = 0; i < block; i++, index++) {
        PathTree.Node inner = node.element(index);
        String json = null;
        if (inner != null) {
          PathTree.Node whole = all == null ? null : node;
          json = value(in, type, inner, name + "[" + index + "]", found, depth + 1, whole);
          if (json != null) {
            found.set(inner, json);
          }
        } else if (all != null) {
          json = element(in, type, node, depth + 1);
        } else {
          skip(in, type, depth + 1);
        }
        if (all != null) {
          all.append(index == 0 ? "" : ",").append(json == null ? "{}" : json);
        }
      }
    }
    return all == null ? null : all.append(']').toString();
  }

  /** Reads an element of an array that is a declared field only as a whole. */
  private String element(BinaryDecoder in, Schema of, PathTree.Node array, int depth)
      throws IOException, MalformedSampleException {
    Schema type = of.getType() == Schema.Type.UNION ? branch(in, of) : of;
    switch (type.getType()) {
      case RECORD, MAP, ARRAY -> {
        skip(in, type, depth);
        return type.getType() == Schema.Type.ARRAY ? "[]" : "{}";
      }
      default -> {
        count(depth);
        return scalar(in, type, array);
      }
    }
  }

  private String scalar(BinaryDecoder in, Schema type, PathTree.Node node)
      throws IOException, MalformedSampleException {
    String field = named(node);
    return switch (type.getType()) {
      case NULL -> "null";
      case BOOLEAN -> Boolean.toString(in.readBoolean());
      case INT -> moment(type, in.readInt(), field);
      case LONG -> moment(type, in.readLong(), field);
      case FLOAT -> {
        float number = in.readFloat();
        yield Float.isFinite(number) ? ShortestText.of(number) : quoted(ShortestText.of(number));
      }
      case DOUBLE -> {
        double number = in.readDouble();
        yield Double.isFinite(number) ? ShortestText.of(number) : quoted(ShortestText.of(number));
      }
      case STRING -> quoted(text(in, field));
      case ENUM -> {
        int index = in.readEnum();
        List<String> symbols = type.getEnumSymbols();
        if (index < 0 || index >= symbols.size()) {
          throw new IOException(
              "symbol %d of an enum that has %d symbols".formatted(index, symbols.size()));
        }
        yield quoted(symbols.get(index));
      }
      case BYTES -> decimal(type, bytes(in, in.readLong()), field);
      case FIXED -> decimal(type, bytes(in, type.getFixedSize()), field);
      default -> throw new IllegalStateException("no single value: " + type.getType());
    };
  }

  /** Returns the name of a declared field at a place. */
  private String named(PathTree.Node node) {
    int slot = node.literal() >= 0 ? node.literal() : node.slots().get(0);
    return tree.names().get(slot);
  }

  /**
   * Returns a whole number as JSON: its date or time if its type is a date or time and the field is
   * a time stamp.
   */
  private String moment(Schema type, long number, String field) throws MalformedSampleException {
    LogicalType logical = times.contains(field) ? type.getLogicalType() : null;
    if (logical == null) {
      return Long.toString(number);
    }
    try {
      return switch (logical.getName()) {
        case "date" -> quoted(LocalDate.ofEpochDay(number).toString());
        case "timestamp-millis", "local-timestamp-millis" ->
            quoted(Instant.ofEpochMilli(number).toString());
        case "timestamp-micros", "local-timestamp-micros" ->
            quoted(Instant.EPOCH.plus(number, ChronoUnit.MICROS).toString());
        case "timestamp-nanos", "local-timestamp-nanos" ->
            quoted(Instant.EPOCH.plusNanos(number).toString());
        default -> Long.toString(number);
      };
    } catch (DateTimeException | ArithmeticException beyond) {
      throw new MalformedSampleException(
          field, "%d is not a %s: %s".formatted(number, logical.getName(), beyond.getMessage()));
    }
  }

  private static String decimal(Schema type, byte[] unscaled, String field)
      throws MalformedSampleException {
    if (!(type.getLogicalType() instanceof LogicalTypes.Decimal decimal)) {
      throw new MalformedSampleException(field, "bytes where a number or text is expected");
    }
    if (unscaled.length == 0
        || unscaled.length > DECIMAL_BYTES_MAX
        || Math.abs((long) decimal.getScale()) > DECIMAL_SCALE_MAX) {
      throw new MalformedSampleException(
          field,
          "a decimal of %d bytes and scale %d; at most %d bytes and scale %d are read"
              .formatted(
                  unscaled.length, decimal.getScale(), DECIMAL_BYTES_MAX, DECIMAL_SCALE_MAX));
    }
    return new BigDecimal(new BigInteger(unscaled), decimal.getScale()).toPlainString();
  }

  private byte[] bytes(BinaryDecoder in, long size) throws IOException {
    if (size < 0 || size > length) {
      throw new java.io.EOFException();
    }
    byte[] bytes = new byte[(int) size];
    in.readFixed(bytes);
    return bytes;
  }

  private String text(BinaryDecoder in, String field) throws IOException, MalformedSampleException {
    return RecordTexts.utf8(bytes(in, in.readLong()), field);
  }

  private static String quoted(String text) {
    return RecordTexts.quoted(text);
  }

  private void skip(BinaryDecoder in, Schema type, int depth)
      throws IOException, MalformedSampleException {
    count(depth);
    switch (type.getType()) {
      case UNION -> skip(in, branch(in, type), depth);
      case RECORD -> {
        for (Schema.Field field : type.getFields()) {
          skip(in, field.schema(), depth + 1);
        }
      }
      case ARRAY -> {
        // The sizes of blocks are not used, because an event can contain negative sizes.
        for (long items = in.readArrayStart(); items > 0; items = in.arrayNext()) {
          for (long i = 0; i < items; i++) {
            skip(in, type.getElementType(), depth + 1);
          }
        }
      }
      case MAP -> {
        for (long items = in.readMapStart(); items > 0; items = in.mapNext()) {
          for (long i = 0; i < items; i++) {
            in.skipFixed(size(in));
            skip(in, type.getValueType(), depth + 1);
          }
        }
      }
      case BOOLEAN -> in.readBoolean();
      case INT, ENUM -> in.readInt();
      case LONG -> in.readLong();
      case FLOAT -> in.readFloat();
      case DOUBLE -> in.readDouble();
      case STRING, BYTES -> in.skipFixed(size(in));
      case FIXED -> in.skipFixed(type.getFixedSize());
      case NULL -> {}
    }
  }

  private int size(BinaryDecoder in) throws IOException {
    long size = in.readLong();
    if (size < 0 || size > length) {
      throw new java.io.EOFException();
    }
    return (int) size;
  }

  @Override
  public String described(String field) {
    FieldPath path = FieldPath.of(field);
    List<FieldPath.Step> steps =
        path == null ? List.of(new FieldPath.Step.Name(field)) : path.steps();
    if (!tree.names().contains(field)) {
      return "";
    }
    Schema at = schema;
    for (int i = 0; i < steps.size(); i++) {
      Schema next = inner(at, steps.get(i));
      if (next == null) {
        String here = path == null ? field : path.beginning(i + 1);
        return "has no " + Shown.of(here);
      }
      at = next;
    }
    LogicalType logical = at.getLogicalType();
    return "has %s at %s"
        .formatted(logical == null ? typeName(at) : logical.getName(), Shown.of(field));
  }

  private static @Nullable Schema inner(Schema of, FieldPath.Step step) {
    if (of.getType() == Schema.Type.UNION) {
      for (Schema each : of.getTypes()) {
        Schema inner = inner(each, step);
        if (inner != null) {
          return inner;
        }
      }
      return null;
    }
    if (step instanceof FieldPath.Step.Name named) {
      if (of.getType() == Schema.Type.MAP) {
        return of.getValueType();
      }
      Schema.Field field = of.getType() == Schema.Type.RECORD ? of.getField(named.name()) : null;
      return field == null ? null : field.schema();
    }
    return of.getType() == Schema.Type.ARRAY ? of.getElementType() : null;
  }

  private static String typeName(Schema type) {
    if (type.getType() == Schema.Type.UNION) {
      return type.getTypes().stream()
          .map(AvroFields::typeName)
          .collect(java.util.stream.Collectors.joining(" or "));
    }
    boolean named = type.getType() == Schema.Type.RECORD || type.getType() == Schema.Type.ENUM;
    return type.getType().getName() + (named ? " " + type.getName() : "");
  }
}
