package io.idlalayer.modelruntime.inference;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.SampleDraft;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Converts the tensors of a request into samples: one tensor for each feature, or one with all
 * dense features, or one with events in JSON. Values are converted just as the learner converts
 * them.
 */
final class RequestSamples {
  /** Name of the tensor with all dense features, unless a feature has that name. */
  static final String FEATURES = "features";

  /** Name of the tensor with events, unless a feature has that name. */
  static final String EVENTS = "events";

  static final int MOST_ROWS = 1024;

  private final SampleSchema schema;
  private final List<Column> columns = new ArrayList<>();
  private final boolean[] given;

  private RequestSamples(SampleSchema schema) {
    this.schema = schema;
    given = new boolean[schema.dense().size()];
  }

  /** Copies the values of a row into a sample. */
  @FunctionalInterface
  private interface Filler {
    void fill(SampleDraft draft, int row) throws MalformedSampleException;
  }

  private record Column(String input, Filler filler) {}

  /**
   * Converts the input tensors of a request into one sample for each row.
   *
   * @throws InferenceException if the inputs do not fit the schema; the message names the first
   *     wrong one
   */
  static List<Sample> of(SampleSchema schema, List<InferenceTensor> inputs)
      throws InferenceException {
    RequestSamples samples = new RequestSamples(schema);
    int rows = inputs.get(0).rows();
    if (rows < 1 || rows > MOST_ROWS) {
      throw new InferenceException(
          rows < 1 ? 400 : 413,
          String.format(
              Locale.ROOT,
              "input '%s': it has %d rows; 1 to %d are answered at a time",
              inputs.get(0).name(),
              rows,
              MOST_ROWS));
    }
    for (InferenceTensor input : inputs) {
      if (input.rows() != rows) {
        throw InferenceException.wrong(
            String.format(
                Locale.ROOT,
                "input '%s': it has %d rows, and '%s' has %d",
                input.name(),
                input.rows(),
                inputs.get(0).name(),
                rows));
      }
    }
    InferenceTensor first = inputs.get(0);
    if (inputs.size() == 1 && first.name().equals(EVENTS) && !samples.isFeature(EVENTS)) {
      return samples.events(first);
    }
    for (InferenceTensor input : inputs) {
      samples.add(input);
    }
    return samples.rows(rows);
  }

  private boolean isFeature(String name) {
    return schema.dense().stream().anyMatch(each -> each.name().equals(name))
        || schema.categorical().stream().anyMatch(each -> each.name().equals(name))
        || schema.ids().stream().anyMatch(each -> each.name().equals(name));
  }

  private List<Sample> events(InferenceTensor input) throws InferenceException {
    if (input.datatype() != Datatype.BYTES || input.width() != 1) {
      throw InferenceException.wrong(
          "input '%s': events are BYTES of shape [rows], each one an event in JSON"
              .formatted(EVENTS));
    }
    JsonSampleDecoder decoder = new JsonSampleDecoder(schema.toPredict());
    List<Sample> samples = new ArrayList<>();
    for (int row = 0; row < input.rows(); row++) {
      try {
        String event = input.elements().text(row);
        EventEncoding.checkCharacters("event", event);
        samples.add(decoder.decode(event.getBytes(StandardCharsets.UTF_8)));
      } catch (MalformedSampleException refused) {
        throw wrongRow(EVENTS, row, refused);
      }
    }
    return samples;
  }

  private static InferenceException wrongRow(
      String input, int row, MalformedSampleException refused) {
    return InferenceException.wrong(
        String.format(Locale.ROOT, "input '%s', row %d: %s", input, row, refused.getMessage()));
  }

  private void add(InferenceTensor input) throws InferenceException {
    String name = input.name();
    int before = columns.size();
    for (int i = 0; i < schema.dense().size(); i++) {
      if (schema.dense().get(i).name().equals(name)) {
        addDense(input, i);
      }
    }
    for (int i = 0; i < schema.categorical().size(); i++) {
      if (schema.categorical().get(i).name().equals(name)) {
        addCategory(input, i);
      }
    }
    for (int i = 0; i < schema.ids().size(); i++) {
      if (schema.ids().get(i).name().equals(name)) {
        addIds(input, i);
      }
    }
    if (columns.size() == before) {
      if (name.equals(FEATURES) && !schema.dense().isEmpty()) {
        addAllDense(input);
      } else {
        throw InferenceException.wrong(
            "input '%s' is not one of the model; it takes %s".formatted(name, inputs()));
      }
    }
  }

  /** Returns the names of the possible inputs, for messages. */
  private String inputs() {
    List<String> names = new ArrayList<>();
    schema.dense().forEach(each -> names.add(each.name()));
    schema.categorical().forEach(each -> names.add(each.name()));
    schema.ids().forEach(each -> names.add(each.name()));
    int shown = 20;
    return names.stream()
            .limit(shown)
            .map(each -> "'" + each + "'")
            .collect(Collectors.joining(", "))
        + (names.size() > shown
            ? String.format(Locale.ROOT, " and %d more", names.size() - shown)
            : "")
        + "; or all numbers as '%s', or events as '%s'".formatted(FEATURES, EVENTS);
  }

  private static void checkNumbers(InferenceTensor input, int width) throws InferenceException {
    if (!input.datatype().number()) {
      throw InferenceException.wrong(
          "input '%s': it is %s, and the model takes numbers"
              .formatted(input.name(), input.datatype()));
    }
    checkWidth(input, width);
  }

  private static void checkWidth(InferenceTensor input, int width) throws InferenceException {
    if (input.width() != width) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': shape %s has %d values in a row, and the model takes %d",
              input.name(),
              Arrays.toString(input.shape()),
              input.width(),
              width));
    }
  }

  private void give(int feature, String input) throws InferenceException {
    if (given[feature]) {
      throw InferenceException.wrong(
          "input '%s': feature '%s' is given twice"
              .formatted(input, schema.dense().get(feature).name()));
    }
    given[feature] = true;
  }

  private void addDense(InferenceTensor input, int feature) throws InferenceException {
    SampleSchema.DenseFeature of = schema.dense().get(feature);
    int width = of.width();
    boolean times = !of.reading().time().isEmpty() && input.datatype() == Datatype.BYTES;
    if (times) {
      checkWidth(input, width);
    } else {
      checkNumbers(input, width);
    }
    give(feature, input.name());
    columns.add(
        new Column(
            input.name(),
            (draft, row) -> {
              for (int i = 0; i < width; i++) {
                int at = row * width + i;
                if (times) {
                  draft.dense(feature, i, input.elements().text(at));
                } else {
                  draft.dense(feature, i, input.elements().number(at));
                }
              }
            }));
  }

  private void addAllDense(InferenceTensor input) throws InferenceException {
    List<SampleSchema.DenseFeature> features = schema.dense();
    int width = schema.fieldWidth();
    checkNumbers(input, width);
    for (int i = 0; i < features.size(); i++) {
      give(i, input.name());
    }
    columns.add(
        new Column(
            input.name(),
            (draft, row) -> {
              int at = row * width;
              for (int feature = 0; feature < features.size(); feature++) {
                for (int i = 0; i < features.get(feature).width(); i++) {
                  draft.dense(feature, i, input.elements().number(at++));
                }
              }
            }));
  }

  private static void checkTexts(InferenceTensor input) throws InferenceException {
    if (input.datatype() != Datatype.BYTES && !input.datatype().integral()) {
      throw InferenceException.wrong(
          "input '%s': it is %s, and the model takes BYTES, INT32 or INT64"
              .formatted(input.name(), input.datatype()));
    }
  }

  private void addCategory(InferenceTensor input, int feature) throws InferenceException {
    checkTexts(input);
    if (input.width() != 1) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': shape %s has %d values in a row, and the model takes 1",
              input.name(),
              Arrays.toString(input.shape()),
              input.width()));
    }
    columns.add(
        new Column(
            input.name(), (draft, row) -> draft.category(feature, input.elements().text(row))));
  }

  private void addIds(InferenceTensor input, int feature) throws InferenceException {
    checkTexts(input);
    int width = input.width();
    columns.add(
        new Column(
            input.name(),
            (draft, row) -> {
              for (int i = 0; i < width; i++) {
                draft.id(feature, input.elements().text(row * width + i));
              }
            }));
  }

  private List<Sample> rows(int rows) throws InferenceException {
    SampleDraft draft = new SampleDraft(schema);
    for (int i = 0; i < given.length; i++) {
      if (!given[i] && !draft.optional(i)) {
        throw InferenceException.wrong(
            "input '%s' is missing; the model takes %s"
                .formatted(schema.dense().get(i).name(), inputs()));
      }
    }
    List<Sample> samples = new ArrayList<>(rows);
    for (int row = 0; row < rows; row++) {
      draft.clear();
      for (Column column : columns) {
        try {
          column.filler().fill(draft, row);
        } catch (MalformedSampleException refused) {
          throw wrongRow(column.input(), row, refused);
        }
      }
      try {
        samples.add(draft.sample());
      } catch (MalformedSampleException refused) {
        throw wrongRow(refused.field(), row, refused);
      }
    }
    return samples;
  }
}
