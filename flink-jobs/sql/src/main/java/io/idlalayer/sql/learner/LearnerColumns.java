package io.idlalayer.sql.learner;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.SampleSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/** Compares the columns of a table with the fields of the events of an application. */
final class LearnerColumns {
  private static final int ONE = 1;

  private LearnerColumns() {}

  /**
   * The types of a column that fit a field.
   *
   * @param what description of the field, for messages
   * @param types allowed types of the column, for messages
   */
  private record Wanted(String what, String types, Predicate<LogicalType> takes) {}

  /**
   * Compares a table with an application.
   *
   * @param key the primary key of the table; null if it has none
   * @throws ValidationException with every column that is missing, superfluous or of another type
   */
  static void check(
      ApplicationSettings application, RowType columns, @Nullable UniqueConstraint key) {
    Map<String, List<Wanted>> fields = fields(application.input().schema());
    List<String> problems = new ArrayList<>();
    for (RowType.RowField column : columns.getFields()) {
      List<Wanted> wanted = fields.get(column.getName());
      if (wanted == null) {
        problems.add(
            "column '%s' is no field of the application: leave it out, or name it in 'input'"
                .formatted(column.getName()));
        continue;
      }
      for (Wanted each : wanted) {
        if (!each.takes().test(column.getType())) {
          problems.add(
              "column '%s' is %s, and the field is %s: declare it as %s, and cast it in the query"
                  .formatted(
                      column.getName(),
                      column.getType().asSummaryString(),
                      each.what(),
                      each.types()));
        }
      }
    }
    fields.forEach(
        (name, wanted) -> {
          if (columns.getFieldIndex(name) < 0) {
            problems.add(
                "field '%s' (%s) has no column: add it as %s; rows without a value insert NULL"
                    .formatted(name, wanted.get(0).what(), wanted.get(0).types()));
          }
        });
    checkKey(application.input().schema().id(), key, problems);
    if (!problems.isEmpty()) {
      throw new ValidationException(
          "the table and the application %s differ:\n%s"
              .formatted(application.name(), String.join("\n", problems)));
    }
  }

  private static void checkKey(
      @Nullable String id, @Nullable UniqueConstraint key, List<String> problems) {
    if (key == null) {
      return;
    }
    if (id == null) {
      problems.add(
          "PRIMARY KEY (%s): the application names no input.id, so no row can be changed; leave it out"
              .formatted(String.join(", ", key.getColumns())));
    } else if (!key.getColumns().equals(List.of(id))) {
      problems.add(
          "PRIMARY KEY (%s) is not the id of the events: say PRIMARY KEY (%s) NOT ENFORCED"
              .formatted(String.join(", ", key.getColumns()), id));
    }
  }

  private static Map<String, List<Wanted>> fields(SampleSchema schema) {
    Map<String, List<Wanted>> fields = new LinkedHashMap<>();
    String id = schema.id();
    if (id != null) {
      add(fields, id, new Wanted("the id", "STRING or BIGINT", LearnerColumns::exact));
    }
    for (SampleSchema.DenseFeature each : schema.dense()) {
      add(fields, each.name(), dense(each));
    }
    for (SampleSchema.CategoricalFeature each : schema.categorical()) {
      add(
          fields,
          each.name(),
          new Wanted(
              "a category",
              "STRING, BIGINT or BOOLEAN",
              type -> exact(type) || type.is(LogicalTypeRoot.BOOLEAN)));
    }
    for (SampleSchema.IdFeature each : schema.ids()) {
      add(
          fields,
          each.name(),
          new Wanted(
              "an id feature",
              "STRING, BIGINT or an ARRAY of these",
              type -> exact(type instanceof ArrayType array ? array.getElementType() : type)));
    }
    SampleSchema.Weight weight = schema.weight();
    if (weight != null) {
      add(
          fields,
          weight.name(),
          new Wanted("the weight", "DOUBLE", type -> type.is(LogicalTypeFamily.NUMERIC)));
    }
    SampleSchema.History history = schema.history();
    String key = history == null ? null : history.key();
    if (key != null) {
      add(
          fields,
          key,
          new Wanted("the key of the history", "STRING or BIGINT", LearnerColumns::exact));
    }
    add(
        fields,
        schema.label().name(),
        new Wanted("the label", label(schema), LearnerColumns::number));
    return fields;
  }

  private static void add(Map<String, List<Wanted>> fields, String name, Wanted wanted) {
    fields.computeIfAbsent(name, key -> new ArrayList<>(ONE)).add(wanted);
  }

  private static String label(SampleSchema schema) {
    return schema.label().task() == SampleSchema.Task.REGRESSION ? "DOUBLE" : "STRING";
  }

  private static Wanted dense(SampleSchema.DenseFeature feature) {
    boolean time = !feature.reading().time().isEmpty();
    boolean list = feature.width() > ONE;
    String one = time ? "TIMESTAMP_LTZ(3)" : "DOUBLE";
    return new Wanted(
        (time ? "a time" : "a number") + (list ? ", " + feature.width() + " of them" : ""),
        list ? "ARRAY<" + one + ">" : one,
        type -> {
          if (list != type instanceof ArrayType) {
            return false;
          }
          LogicalType element = type instanceof ArrayType array ? array.getElementType() : type;
          return number(element) || (time && time(element));
        });
  }

  /** Returns whether the texts of values of a type are the same as in events: 3 and not 3.00. */
  private static boolean exact(LogicalType type) {
    return type.is(LogicalTypeFamily.CHARACTER_STRING)
        || type.is(LogicalTypeFamily.INTEGER_NUMERIC);
  }

  /**
   * Returns whether values of a type can be read as numbers or as classes. Texts and booleans can
   * be too.
   */
  private static boolean number(LogicalType type) {
    return type.is(LogicalTypeFamily.NUMERIC)
        || type.is(LogicalTypeFamily.CHARACTER_STRING)
        || type.is(LogicalTypeRoot.BOOLEAN);
  }

  private static boolean time(LogicalType type) {
    return type.is(LogicalTypeRoot.DATE)
        || type.is(LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE)
        || type.is(LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE);
  }
}
