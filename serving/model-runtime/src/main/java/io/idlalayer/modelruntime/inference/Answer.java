package io.idlalayer.modelruntime.inference;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The predictions of a version for a request.
 *
 * @param model name of the model
 * @param version the version that predicted
 * @param createdAtMillis creation time of the version, epoch milliseconds
 * @param ageMillis age of the version
 * @param label the label that is predicted
 * @param predictions one row for each row of the request
 * @param request what was asked for
 */
record Answer(
    String model,
    long version,
    long createdAtMillis,
    long ageMillis,
    SampleSchema.Label label,
    double[][] predictions,
    InferenceRequest request) {
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
   * An answer for the client: JSON, and behind it the elements of tensors in binary form.
   *
   * @param binary whether there are such tensors
   */
  record Encoded(byte[] json, byte[] tensors, boolean binary) {}

  /**
   * Returns the answer for the client.
   *
   * @throws InferenceException if the request names an output that the model does not have, or if a
   *     prediction is not finite
   */
  Encoded encode() throws InferenceException, IOException {
    List<String> has = outputs(label);
    List<InferenceRequest.Output> wanted =
        request.outputs().isEmpty()
            ? has.stream().map(each -> new InferenceRequest.Output(each, request.binary())).toList()
            : request.outputs();
    for (InferenceRequest.Output each : wanted) {
      if (!has.contains(each.name())) {
        throw InferenceException.wrong(
            "output '%s': the model gives %s".formatted(each.name(), has));
      }
    }
    checkFinite();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ByteArrayOutputStream tensors = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("model_name", model);
      json.writeStringField("model_version", Long.toString(version));
      if (request.id() != null) {
        json.writeStringField("id", request.id());
      }
      json.writeObjectFieldStart("parameters");
      json.writeNumberField("version", version);
      json.writeNumberField("created_at_millis", createdAtMillis);
      json.writeNumberField("age_millis", ageMillis);
      json.writeEndObject();
      json.writeArrayFieldStart("outputs");
      for (InferenceRequest.Output each : wanted) {
        write(each, json, tensors);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return new Encoded(
        bytes.toByteArray(),
        tensors.toByteArray(),
        wanted.stream().anyMatch(InferenceRequest.Output::binary));
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

  /** Writes an output: its name, type and shape, and its elements here or there. */
  private void write(
      InferenceRequest.Output output, JsonGenerator json, ByteArrayOutputStream tensors)
      throws IOException {
    boolean probabilities = output.name().equals(PROBABILITIES);
    boolean texts = !probabilities && classes(label);
    Datatype type = texts ? Datatype.BYTES : probabilities ? Datatype.FP32 : Datatype.FP64;
    json.writeStartObject();
    json.writeStringField("name", output.name());
    json.writeStringField("datatype", type.name());
    json.writeArrayFieldStart("shape");
    json.writeNumber(predictions.length);
    if (probabilities) {
      json.writeNumber(label.classes().size());
    }
    json.writeEndArray();
    if (output.binary()) {
      byte[] elements =
          texts ? BinaryElements.ofTexts(bestClasses()) : BinaryElements.ofNumbers(numbers(), type);
      json.writeObjectFieldStart("parameters");
      json.writeNumberField("binary_data_size", elements.length);
      json.writeEndObject();
      tensors.writeBytes(elements);
    } else {
      json.writeArrayFieldStart("data");
      if (texts) {
        for (String each : bestClasses()) {
          json.writeString(each);
        }
      } else {
        for (double each : numbers()) {
          if (probabilities) {
            json.writeNumber((float) each);
          } else {
            json.writeNumber(each);
          }
        }
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  /** Returns all predicted numbers, row by row. */
  private double[] numbers() {
    return Arrays.stream(predictions).flatMapToDouble(Arrays::stream).toArray();
  }

  private List<String> bestClasses() {
    return Arrays.stream(predictions).map(row -> label.classes().get(best(row))).toList();
  }

  private static int best(double[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      best = probabilities[i] > probabilities[best] ? i : best;
    }
    return best;
  }
}
