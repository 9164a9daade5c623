package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.NumberNotation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of an event with named fields while it is decoded, and the meaning that a schema gives
 * to its fields. Reused from event to event.
 */
final class EventDraft {
  /** The role of a field. */
  enum Role {
    DENSE,
    CATEGORICAL,
    IDS,
    LABEL,
    ID,
    WEIGHT,
    KEY
  }

  /**
   * A field of the schema.
   *
   * @param number place among all fields; dense features come first
   * @param index place among the fields with the same role
   */
  record Field(String name, int number, Role role, int index) {}

  private final SampleSchema schema;
  private final FieldValues values;
  private final AbsentDraft absent;
  private final List<DenseField> denseFields;
  private final List<Field> fields = new ArrayList<>();
  private final IdDraft ids;
  private final int denseWidth;

  private double[] dense = {};
  private int[] categorical = {};
  private double label;
  private double weight;
  private long key;
  private String id = "";

  EventDraft(SampleSchema schema, EventParts parts) {
    this.schema = schema;
    values = new FieldValues(schema, NumberNotation.PLAIN);
    absent = new AbsentDraft(schema, parts);
    denseFields = DenseField.of(schema, NumberNotation.PLAIN, absent);
    ids = new IdDraft(schema.ids());
    denseWidth = schema.denseWidth();
    for (int i = 0; i < schema.dense().size(); i++) {
      add(schema.dense().get(i).name(), Role.DENSE, i);
    }
    for (int i = 0; i < schema.categorical().size(); i++) {
      add(schema.categorical().get(i).name(), Role.CATEGORICAL, i);
    }
    for (int i = 0; i < schema.ids().size(); i++) {
      add(schema.ids().get(i).name(), Role.IDS, i);
    }
    add(schema.label().name(), Role.LABEL, 0);
    add(schema.id(), Role.ID, 0);
    SampleSchema.Weight weightField = schema.weight();
    add(weightField == null ? null : weightField.name(), Role.WEIGHT, 0);
    SampleSchema.History history = schema.history();
    add(history == null ? null : history.key(), Role.KEY, 0);
  }

  private void add(@Nullable String name, Role role, int index) {
    if (name != null) {
      fields.add(new Field(name, fields.size(), role, index));
    }
  }

  /** Returns the fields of the schema; a name can have several roles. */
  List<Field> fields() {
    return fields;
  }

  /** Returns a dense feature. */
  DenseField dense(Field field) {
    return denseFields.get(field.index());
  }

  /** Returns whether any name has several roles. */
  boolean severalRoles() {
    return fields.stream().map(Field::name).distinct().count() < fields.size();
  }

  /** Begins the next event. */
  void begin() {
    dense = new double[denseWidth];
    categorical = new int[schema.categorical().size()];
    label = Sample.NO_LABEL;
    weight = absent.noWeight();
    key = IdLists.MISSING;
    id = "";
    ids.clear();
    absent.clear();
  }

  /** Returns the values of dense features, which a decoder fills in. */
  double[] dense() {
    return dense;
  }

  /**
   * Sets the value of a field, or adds one of several ids, from its text.
   *
   * @param text text; an empty text is a missing value
   */
  void text(Field field, String text) throws MalformedSampleException {
    switch (field.role()) {
      case DENSE -> dense(field).text(text, 0, dense);
      case CATEGORICAL ->
          categorical[field.index()] =
              FieldValues.bucket(schema.categorical().get(field.index()), text);
      case IDS -> ids.add(field.index(), text);
      case LABEL -> label = values.label(text);
      case ID -> id = values.id(text);
      case WEIGHT -> weight = values.weight(text);
      case KEY -> key = values.key(text);
    }
  }

  /** Sets the values of a dense feature that the event does not have. */
  void absent(Field field) throws MalformedSampleException {
    dense(field).absent(dense);
  }

  /** Returns the sample of the event. */
  Sample sample() throws MalformedSampleException {
    return absent.sample(id, dense, categorical, ids.lists(), label, weight, key);
  }
}
