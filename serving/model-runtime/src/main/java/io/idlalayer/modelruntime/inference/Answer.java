package io.idlalayer.modelruntime.inference;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The predictions of a version for a request.
 *
 * @param model name of the model
 * @param id id of the request, null for none
 * @param version the version that predicted
 * @param createdAtMillis creation time of the version, epoch milliseconds
 * @param ageMillis age of the version
 * @param label the label that is predicted
 * @param predictions one row for each row of the request
 * @param outputs names of the requested outputs; empty for all
 */
record Answer(
    String model,
    @Nullable String id,
    long version,
    long createdAtMillis,
    long ageMillis,
    SampleSchema.Label label,
    double[][] predictions,
    List<String> outputs) {
  /** Name of the output with the most probable class, or with the predicted target. */
  static final String PREDICTION = "prediction";

  /** Name of the output with the probability of each class, in the order of the schema. */
  static final String PROBABILITIES = "probabilities";

  static final List<String> OUTPUTS = List.of(PREDICTION, PROBABILITIES);

  private static final JsonFactory JSON = new JsonFactory();

  /** Returns the names of the outputs of a model. */
  static List<String> outputs(SampleSchema.Label label) {
    return classes(label) ? OUTPUTS : List.of(PREDICTION);
  }

  private static boolean classes(SampleSchema.Label label) {
    return label.task() == SampleSchema.Task.CLASSIFICATION;
  }

  /**
   * Returns the answer in JSON.
   *
   * @throws InferenceException if the request names an output that the model does not have, or if a
   *     prediction is not finite
   */
  byte[] encode() throws InferenceException, IOException {
    List<String> has = outputs(label);
    for (String wanted : outputs) {
      if (!has.contains(wanted)) {
        throw InferenceException.wrong("output '%s': the model gives %s".formatted(wanted, has));
      }
    }
    checkFinite();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("model_name", model);
      json.writeStringField("model_version", Long.toString(version));
      if (id != null) {
        json.writeStringField("id", id);
      }
      json.writeObjectFieldStart("parameters");
      json.writeNumberField("version", version);
      json.writeNumberField("created_at_millis", createdAtMillis);
      json.writeNumberField("age_millis", ageMillis);
      json.writeEndObject();
      json.writeArrayFieldStart("outputs");
      for (String output : outputs.isEmpty() ? has : outputs) {
        if (output.equals(PROBABILITIES)) {
          probabilities(json);
        } else {
          prediction(json);
        }
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return bytes.toByteArray();
  }

  private void checkFinite() throws InferenceException {
    for (int row = 0; row < predictions.length; row++) {
      int at = Predictor.firstNotFinite(predictions[row]);
      if (at >= 0) {
        throw new InferenceException(
            500,
            String.format(
                Locale.ROOT,
                "version %d of '%s' predicts %s for row %d",
                version,
                model,
                predictions[row][at],
                row));
      }
    }
  }

  private void prediction(JsonGenerator json) throws IOException {
    begin(json, PREDICTION, classes(label) ? Datatype.BYTES : Datatype.FP64, predictions.length);
    for (double[] row : predictions) {
      if (classes(label)) {
        json.writeString(label.classes().get(best(row)));
      } else {
        json.writeNumber(row[0]);
      }
    }
    end(json);
  }

  private static int best(double[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      best = probabilities[i] > probabilities[best] ? i : best;
    }
    return best;
  }

  private void probabilities(JsonGenerator json) throws IOException {
    begin(json, PROBABILITIES, Datatype.FP32, predictions.length, label.classes().size());
    for (double[] row : predictions) {
      for (double each : row) {
        json.writeNumber((float) each);
      }
    }
    end(json);
  }

  private static void begin(JsonGenerator json, String name, Datatype type, int... shape)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("name", name);
    json.writeStringField("datatype", type.name());
    json.writeFieldName("shape");
    json.writeArray(shape, 0, shape.length);
    json.writeArrayFieldStart("data");
  }

  private static void end(JsonGenerator json) throws IOException {
    json.writeEndArray();
    json.writeEndObject();
  }
}
