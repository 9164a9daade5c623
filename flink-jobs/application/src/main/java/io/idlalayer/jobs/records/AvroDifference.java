package io.idlalayer.jobs.records;

import io.idlalayer.middleware.sample.text.Shown;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Compares two schemas by the properties that determine how the bytes of a record are read: the
 * order, names and types of fields, symbols, sizes, and logical types. Names of types, defaults and
 * documentation are ignored.
 */
final class AvroDifference {
  private final IdentityHashMap<Schema, Set<Schema>> compared = new IdentityHashMap<>();

  private AvroDifference() {}

  /**
   * Returns the first difference as a clause, null if there is none.
   *
   * @param file schema of a file
   * @param expected schema of the application
   */
  static @Nullable String first(Schema file, Schema expected) {
    return new AvroDifference().between(file, expected, "the record");
  }

  private @Nullable String between(Schema file, Schema expected, String at) {
    // A schema can contain itself.
    if (!compared
        .computeIfAbsent(file, any -> Collections.newSetFromMap(new IdentityHashMap<>()))
        .add(expected)) {
      return null;
    }
    if (file.getType() != expected.getType()) {
      return differs(at, file.getType().getName(), expected.getType().getName());
    }
    String own = logical(file);
    String other = logical(expected);
    if (!own.equals(other)) {
      return differs(at, own, other);
    }
    return switch (file.getType()) {
      case RECORD -> fields(file.getFields(), expected.getFields(), at);
      case UNION -> union(file.getTypes(), expected.getTypes(), at);
      case ARRAY -> between(file.getElementType(), expected.getElementType(), at + "[]");
      case MAP -> between(file.getValueType(), expected.getValueType(), at + "[]");
      case ENUM -> symbols(file.getEnumSymbols(), expected.getEnumSymbols(), at);
      case FIXED ->
          file.getFixedSize() == expected.getFixedSize()
              ? null
              : differs(at, file.getFixedSize() + " bytes", expected.getFixedSize() + " bytes");
      default -> null;
    };
  }

  private static String logical(Schema schema) {
    LogicalType logical = schema.getLogicalType();
    if (logical == null) {
      return schema.getType().getName();
    }
    return logical instanceof LogicalTypes.Decimal decimal
        ? "decimal of scale " + decimal.getScale()
        : logical.getName();
  }

  private @Nullable String fields(List<Schema.Field> file, List<Schema.Field> expected, String at) {
    List<String> own = new ArrayList<>();
    file.forEach(each -> own.add(each.name()));
    for (int i = 0; i < Math.max(file.size(), expected.size()); i++) {
      String name = i < own.size() ? own.get(i) : null;
      String other = i < expected.size() ? expected.get(i).name() : null;
      if (!Objects.equals(name, other)) {
        return differs("field %d of %s".formatted(i + 1, at), shown(name), shown(other));
      }
      Schema.Field field = file.get(i);
      String difference = between(field.schema(), expected.get(i).schema(), Shown.of(field.name()));
      if (difference != null) {
        return difference;
      }
    }
    return null;
  }

  private static String shown(@Nullable String name) {
    return name == null ? "nothing" : Shown.of(name);
  }

  private @Nullable String union(List<Schema> file, List<Schema> expected, String at) {
    if (file.size() != expected.size()) {
      return differs(at, "a union of " + file.size(), "one of " + expected.size());
    }
    for (int i = 0; i < file.size(); i++) {
      String difference = between(file.get(i), expected.get(i), at);
      if (difference != null) {
        return difference;
      }
    }
    return null;
  }

  private static @Nullable String symbols(List<String> file, List<String> expected, String at) {
    return file.equals(expected)
        ? null
        : differs(
            at,
            "the symbols " + Shown.of(file.toString(), 100),
            Shown.of(expected.toString(), 100));
  }

  private static String differs(String at, String file, String expected) {
    return "%s is %s in the file, and %s is expected".formatted(at, file, expected);
  }
}
