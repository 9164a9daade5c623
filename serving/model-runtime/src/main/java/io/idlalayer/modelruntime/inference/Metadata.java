package io.idlalayer.modelruntime.inference;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/** Writes facts about the server and its models as JSON. */
final class Metadata {
  private static final JsonFactory JSON = new JsonFactory();

  private Metadata() {}

  /** Writes the fields of one JSON object. */
  @FunctionalInterface
  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  private static byte[] object(Fields fields) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    }
    return bytes.toByteArray();
  }

  static byte[] error(String message) throws IOException {
    return object(json -> json.writeStringField("error", message));
  }

  static byte[] server() throws IOException {
    return object(
        json -> {
          json.writeStringField("name", ModelDescription.PLATFORM);
          json.writeStringField("version", Inference.serverVersion());
          json.writeArrayFieldStart("extensions");
          json.writeString("binary_tensor_data");
          json.writeEndArray();
        });
  }

  static byte[] live() throws IOException {
    return object(json -> json.writeBooleanField("live", true));
  }

  /** Returns the readiness of the server as JSON. */
  static byte[] ready(boolean ready) throws IOException {
    return object(
        json -> {
          // The protocol's text says live, its examples say ready.
          json.writeBooleanField("live", true);
          json.writeBooleanField("ready", ready);
        });
  }

  /** Returns the readiness of a model as JSON. */
  static byte[] ready(String model, boolean ready) throws IOException {
    return object(
        json -> {
          json.writeStringField("name", model);
          json.writeBooleanField("ready", ready);
        });
  }

  static byte[] model(ModelDescription model) throws IOException {
    return object(
        json -> {
          json.writeStringField("name", model.name());
          json.writeArrayFieldStart("versions");
          json.writeString(Long.toString(model.version()));
          json.writeEndArray();
          json.writeStringField("platform", ModelDescription.PLATFORM);
          tensors(json, "inputs", model.inputs());
          tensors(json, "outputs", model.outputs());
        });
  }

  private static void tensors(
      JsonGenerator json, String field, List<ModelDescription.Tensor> tensors) throws IOException {
    json.writeArrayFieldStart(field);
    for (ModelDescription.Tensor each : tensors) {
      json.writeStartObject();
      json.writeStringField("name", each.name());
      json.writeStringField("datatype", each.datatype().name());
      json.writeFieldName("shape");
      json.writeArray(each.shape(), 0, each.shape().length);
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
