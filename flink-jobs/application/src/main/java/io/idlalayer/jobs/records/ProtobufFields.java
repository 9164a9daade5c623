package io.idlalayer.jobs.records;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.WireFormat;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.path.FieldPath;
import io.idlalayer.middleware.sample.path.FoundFields;
import io.idlalayer.middleware.sample.path.PathTree;
import io.idlalayer.middleware.sample.text.ShortestText;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the declared fields in Protobuf messages of one type. This class creates no objects for
 * messages, and skips fields that are not declared. If a message lacks a field, the field has its
 * default value if it is a field without presence; otherwise it is missing.
 */
final class ProtobufFields implements RecordFields {
  private static final String TIMESTAMP = "google.protobuf.Timestamp";
  private static final Set<String> WRAPPERS =
      Set.of(
          "google.protobuf.DoubleValue",
          "google.protobuf.FloatValue",
          "google.protobuf.Int64Value",
          "google.protobuf.UInt64Value",
          "google.protobuf.Int32Value",
          "google.protobuf.UInt32Value",
          "google.protobuf.BoolValue",
          "google.protobuf.StringValue",
          "google.protobuf.BytesValue");
  private static final int NANOS_DIGITS = 9;

  private final Descriptor message;
  private final PathTree tree;
  private final Set<String> times;

  ProtobufFields(Descriptor message, PathTree tree, Set<String> times) {
    this.message = message;
    this.tree = tree;
    this.times = times;
  }

  /** The elements of a repeated field that were read so far. */
  private static final class Elements {
    final StringBuilder json = new StringBuilder("[");
    int count;

    void add(String value) {
      json.append(count++ == 0 ? "" : ",").append(value);
    }
  }

  @Override
  public void read(byte[] event, int from, FoundFields found) throws MalformedSampleException {
    CodedInputStream in = CodedInputStream.newInstance(event, from, event.length - from);
    try {
      message(in, message, tree.root(), found);
    } catch (IOException | RuntimeException | StackOverflowError broken) {
      throw new MalformedSampleException(
          "event", "it is not a message of its schema: " + broken.getMessage());
    }
  }

  /**
   * Reads a message up to the limit that is set in the input. The depth of recursion is bounded by
   * the longest path.
   */
  private void message(CodedInputStream in, Descriptor type, PathTree.Node node, FoundFields found)
      throws IOException, MalformedSampleException {
    Map<PathTree.Node, Elements> repeated = new HashMap<>(0);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
      PathTree.Node inner = field == null ? null : node.field(field.getName());
      if (field == null || inner == null || field.getType() == FieldDescriptor.Type.GROUP) {
        if (!in.skipField(tag)) {
          throw new IOException("a group ends that has not begun");
        }
      } else if (field.isMapField() && lengthFollows(tag)) {
        entry(in, field, inner, found);
      } else if (field.isRepeated()) {
        elements(in, tag, field, inner, repeated, found);
      } else if (WireFormat.getTagWireType(tag) != wireType(field)) {
        in.skipField(tag);
      } else {
        String json = value(in, field, inner, field.getName(), found);
        if (json != null) {
          found.set(inner, json);
        }
      }
    }
    repeated.forEach((at, elements) -> set(found, at, elements));
    defaults(type, node, found);
  }

  private static void set(FoundFields found, PathTree.Node at, Elements elements) {
    if (at.valued()) {
      found.set(at, elements.json.append(']').toString());
    }
  }

  private static boolean lengthFollows(int tag) {
    return WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  private static int wireType(FieldDescriptor field) {
    return field.getLiteType().getWireType();
  }

  /** Sets fields without presence that the message lacks to their default values. */
  private void defaults(Descriptor type, PathTree.Node node, FoundFields found)
      throws IOException, MalformedSampleException {
    for (Map.Entry<String, PathTree.Node> each : node.fields().entrySet()) {
      FieldDescriptor field = type.findFieldByName(each.getKey());
      PathTree.Node inner = each.getValue();
      if (field == null || found.visited(inner) || field.isRepeated() || field.hasPresence()) {
        continue;
      }
      found.visit(inner, FoundFields.Kind.SCALAR, field.getName());
      if (inner.valued()) {
        found.set(inner, absent(field, inner));
      }
    }
  }

  private String absent(FieldDescriptor field, PathTree.Node node) throws MalformedSampleException {
    Object value = field.getDefaultValue();
    return switch (field.getJavaType()) {
      case ENUM -> RecordTexts.quoted(((EnumValueDescriptor) value).getName());
      case STRING -> RecordTexts.quoted((String) value);
      case FLOAT -> number(((Float) value).doubleValue(), value.toString());
      case DOUBLE -> number((Double) value, value.toString());
      case BYTE_STRING -> throw bytes(node);
      default -> value.toString();
    };
  }

  private void elements(
      CodedInputStream in,
      int tag,
      FieldDescriptor field,
      PathTree.Node node,
      Map<PathTree.Node, Elements> repeated,
      FoundFields found)
      throws IOException, MalformedSampleException {
    boolean packed = field.isPackable() && lengthFollows(tag);
    if (!packed && WireFormat.getTagWireType(tag) != wireType(field)) {
      in.skipField(tag);
      return;
    }
    Elements elements = repeated.get(node);
    if (elements == null) {
      found.visit(node, FoundFields.Kind.ARRAY, field.getName());
      elements = new Elements();
      repeated.put(node, elements);
    }
    if (!packed) {
      element(in, field, node, elements, found);
      return;
    }
    int limit = in.pushLimit(in.readRawVarint32());
    while (in.getBytesUntilLimit() > 0) {
      element(in, field, node, elements, found);
    }
    in.popLimit(limit);
  }

  private void element(
      CodedInputStream in,
      FieldDescriptor field,
      PathTree.Node node,
      Elements elements,
      FoundFields found)
      throws IOException, MalformedSampleException {
    PathTree.Node inner = node.element(elements.count);
    String json = null;
    if (inner != null) {
      json = value(in, field, inner, field.getName() + "[" + elements.count + "]", found);
      if (json != null) {
        found.set(inner, json);
      }
    } else if (field.getJavaType() == JavaType.MESSAGE) {
      in.skipRawBytes(in.readRawVarint32());
    } else {
      json = scalar(in, field, node.valued() ? node : null);
    }
    if (node.valued()) {
      elements.add(json == null ? "{}" : json);
    } else {
      elements.count++;
    }
  }

  /** Reads an entry of a map. The value can come before the key. */
  private void entry(
      CodedInputStream in, FieldDescriptor field, PathTree.Node node, FoundFields found)
      throws IOException, MalformedSampleException {
    if (!found.visited(node)) {
      found.visit(node, FoundFields.Kind.OBJECT, field.getName());
      if (node.valued()) {
        found.set(node, "{}");
      }
    }
    byte[] bytes = in.readByteArray();
    FieldDescriptor keyField = field.getMessageType().findFieldByNumber(1);
    FieldDescriptor valueField = field.getMessageType().findFieldByNumber(2);
    PathTree.Node inner = node.field(key(bytes, keyField));
    if (inner == null) {
      return;
    }
    CodedInputStream entry = CodedInputStream.newInstance(bytes);
    boolean any = false;
    for (int tag = entry.readTag(); tag != 0; tag = entry.readTag()) {
      boolean isValue = WireFormat.getTagFieldNumber(tag) == 2;
      if (isValue && WireFormat.getTagWireType(tag) == wireType(valueField)) {
        any = true;
        String json = value(entry, valueField, inner, valueField.getName(), found);
        if (json != null) {
          found.set(inner, json);
        }
      } else {
        entry.skipField(tag);
      }
    }
    if (!any && valueField.getJavaType() != JavaType.MESSAGE) {
      found.visit(inner, FoundFields.Kind.SCALAR, valueField.getName());
      if (inner.valued()) {
        found.set(inner, absent(valueField, inner));
      }
    }
  }

  private static String key(byte[] bytes, FieldDescriptor field)
      throws IOException, MalformedSampleException {
    CodedInputStream in = CodedInputStream.newInstance(bytes);
    String key = String.valueOf(field.getDefaultValue());
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      boolean isKey = WireFormat.getTagFieldNumber(tag) == 1;
      if (!isKey || WireFormat.getTagWireType(tag) != wireType(field)) {
        in.skipField(tag);
      } else if (field.getType() == FieldDescriptor.Type.STRING) {
        key = RecordTexts.utf8(in.readByteArray(), "event");
      } else {
        key = whole(in, field.getType());
      }
    }
    return key;
  }

  /**
   * Reads a single value at a place; returns the value as JSON if it belongs to a declared field.
   */
  private @Nullable String value(
      CodedInputStream in,
      FieldDescriptor field,
      PathTree.Node node,
      String name,
      FoundFields found)
      throws IOException, MalformedSampleException {
    if (field.getJavaType() != JavaType.MESSAGE) {
      found.visit(node, FoundFields.Kind.SCALAR, name);
      String json = scalar(in, field, node.valued() ? node : null);
      return node.valued() ? json : null;
    }
    int limit = in.pushLimit(in.readRawVarint32());
    String json = null;
    Descriptor type = field.getMessageType();
    boolean single = node.valued() && !node.inner();
    if (single && type.getFullName().equals(TIMESTAMP)) {
      found.visit(node, FoundFields.Kind.SCALAR, name);
      json = timestamp(in, named(node));
    } else if (single && WRAPPERS.contains(type.getFullName())) {
      found.visit(node, FoundFields.Kind.SCALAR, name);
      json = wrapped(in, type.findFieldByNumber(1), node);
    } else {
      found.visit(node, FoundFields.Kind.OBJECT, name);
      message(in, type, node, found);
      json = node.valued() ? "{}" : null;
    }
    in.checkLastTagWas(0);
    in.popLimit(limit);
    return json;
  }

  private String wrapped(CodedInputStream in, FieldDescriptor value, PathTree.Node node)
      throws IOException, MalformedSampleException {
    String json = absent(value, node);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == 1
          && WireFormat.getTagWireType(tag) == wireType(value)) {
        json = scalar(in, value, node);
      } else {
        in.skipField(tag);
      }
    }
    return json;
  }

  /** Returns a time as text if its field is a time stamp, else as epoch seconds. */
  private String timestamp(CodedInputStream in, String field)
      throws IOException, MalformedSampleException {
    long seconds = 0;
    int nanos = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      int number = WireFormat.getTagFieldNumber(tag);
      if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_VARINT || number > 2) {
        in.skipField(tag);
      } else if (number == 1) {
        seconds = in.readInt64();
      } else {
        nanos = in.readInt32();
      }
    }
    if (!times.contains(field)) {
      return BigDecimal.valueOf(seconds)
          .add(BigDecimal.valueOf(nanos, NANOS_DIGITS))
          .stripTrailingZeros()
          .toPlainString();
    }
    try {
      return RecordTexts.quoted(Instant.ofEpochSecond(seconds, nanos).toString());
    } catch (DateTimeException | ArithmeticException beyond) {
      throw new MalformedSampleException(
          field, "%d s is not a time: %s".formatted(seconds, beyond.getMessage()));
    }
  }

  private String named(PathTree.Node node) {
    int slot = node.literal() >= 0 ? node.literal() : node.slots().get(0);
    return tree.names().get(slot);
  }

  private MalformedSampleException bytes(PathTree.Node node) {
    return new MalformedSampleException(named(node), "bytes where a number or text is expected");
  }

  /**
   * @param node place of the declared field; null if the value is skipped
   */
  private String scalar(CodedInputStream in, FieldDescriptor field, PathTree.@Nullable Node node)
      throws IOException, MalformedSampleException {
    return switch (field.getType()) {
      case DOUBLE -> {
        double number = in.readDouble();
        yield number(number, ShortestText.of(number));
      }
      case FLOAT -> {
        float number = in.readFloat();
        yield number(number, ShortestText.of(number));
      }
      case STRING -> {
        byte[] text = in.readByteArray();
        yield node == null ? "" : RecordTexts.quoted(RecordTexts.utf8(text, named(node)));
      }
      case BYTES -> {
        if (node != null) {
          throw bytes(node);
        }
        yield String.valueOf(in.readByteArray().length);
      }
      case ENUM -> {
        int number = in.readEnum();
        EnumValueDescriptor value = field.getEnumType().findValueByNumber(number);
        yield value == null ? Integer.toString(number) : RecordTexts.quoted(value.getName());
      }
      case MESSAGE, GROUP -> throw new IllegalStateException("no single value");
      default -> whole(in, field.getType());
    };
  }

  private static String whole(CodedInputStream in, FieldDescriptor.Type type) throws IOException {
    return switch (type) {
      case BOOL -> Boolean.toString(in.readBool());
      case INT32 -> Integer.toString(in.readInt32());
      case SINT32 -> Integer.toString(in.readSInt32());
      case SFIXED32 -> Integer.toString(in.readSFixed32());
      case UINT32 -> Integer.toUnsignedString(in.readUInt32());
      case FIXED32 -> Integer.toUnsignedString(in.readFixed32());
      case INT64 -> Long.toString(in.readInt64());
      case SINT64 -> Long.toString(in.readSInt64());
      case SFIXED64 -> Long.toString(in.readSFixed64());
      case UINT64 -> Long.toUnsignedString(in.readUInt64());
      case FIXED64 -> Long.toUnsignedString(in.readFixed64());
      default -> throw new IOException("not a whole number: " + type);
    };
  }

  private static String number(double number, String text) {
    return Double.isFinite(number) ? text : RecordTexts.quoted(text);
  }

  @Override
  public String described(String field) {
    if (!tree.names().contains(field)) {
      return "";
    }
    FieldPath path = FieldPath.of(field);
    List<FieldPath.Step> steps =
        path == null ? List.of(new FieldPath.Step.Name(field)) : path.steps();
    Descriptor at = message;
    FieldDescriptor last = null;
    for (int i = 0; i < steps.size(); i++) {
      if (!(steps.get(i) instanceof FieldPath.Step.Name name)) {
        continue;
      }
      if (last != null && last.isMapField()) {
        last = last.getMessageType().findFieldByNumber(2);
      } else {
        last = at == null ? null : at.findFieldByName(name.name());
      }
      if (last == null) {
        return "has no " + Shown.of(path == null ? field : path.beginning(i + 1));
      }
      at = last.getJavaType() == JavaType.MESSAGE ? last.getMessageType() : null;
    }
    return last == null ? "" : "has %s at %s".formatted(typeName(last), Shown.of(field));
  }

  private static String typeName(FieldDescriptor field) {
    String type = field.getType().name().toLowerCase(Locale.ROOT);
    return (field.isMapField() ? "map" : field.isRepeated() ? "repeated " + type : type)
        + (field.getJavaType() == JavaType.MESSAGE && !field.isMapField()
            ? " " + field.getMessageType().getFullName()
            : "");
  }
}
