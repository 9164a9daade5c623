package io.idlalayer.modelruntime.inference;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * An answer for a client of HTTP: JSON, and behind it the elements of tensors in binary form.
 *
 * @param binary whether there are such tensors
 */
record AnswerJson(byte[] json, byte[] tensors, boolean binary) {
  private static final JsonFactory JSON = new JsonFactory();

  static AnswerJson of(Answer answer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ByteArrayOutputStream tensors = new ByteArrayOutputStream();
    long version = answer.version().manifest().version();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("model_name", answer.model());
      json.writeStringField("model_version", Long.toString(version));
      if (answer.id() != null) {
        json.writeStringField("id", answer.id());
      }
      json.writeObjectFieldStart("parameters");
      json.writeNumberField("version", version);
      json.writeNumberField("created_at_millis", answer.version().manifest().createdAtMillis());
      json.writeNumberField("age_millis", answer.ageMillis());
      json.writeEndObject();
      json.writeArrayFieldStart("outputs");
      for (OutputTensor each : answer.outputs()) {
        write(each, json, tensors);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return new AnswerJson(
        bytes.toByteArray(),
        tensors.toByteArray(),
        answer.outputs().stream().anyMatch(OutputTensor::binary));
  }

  /** Writes an output: its name, type and shape, and its elements here or there. */
  private static void write(OutputTensor output, JsonGenerator json, ByteArrayOutputStream tensors)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("name", output.name());
    json.writeStringField("datatype", output.datatype().name());
    json.writeFieldName("shape");
    json.writeArray(output.shape(), 0, output.shape().length);
    if (output.binary()) {
      byte[] elements = output.bytes();
      json.writeObjectFieldStart("parameters");
      json.writeNumberField("binary_data_size", elements.length);
      json.writeEndObject();
      tensors.writeBytes(elements);
    } else {
      json.writeArrayFieldStart("data");
      for (String each : output.texts()) {
        json.writeString(each);
      }
      for (double each : output.numbers()) {
        if (output.datatype() == Datatype.FP32) {
          json.writeNumber((float) each);
        } else {
          json.writeNumber(each);
        }
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }
}
