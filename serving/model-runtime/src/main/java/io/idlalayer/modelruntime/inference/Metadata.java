package io.idlalayer.modelruntime.inference;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.idlalayer.middleware.sample.SampleSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Objects;

/** Writes facts about the server and its models as JSON. */
final class Metadata {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String NAME = "idlalayer";

  /** Dimension that stands for the number of rows of a request. */
  private static final int ROWS = -1;

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
    String version = Metadata.class.getPackage().getImplementationVersion();
    return object(
        json -> {
          json.writeStringField("name", NAME);
          json.writeStringField("version", Objects.requireNonNullElse(version, "unknown"));
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

  static byte[] model(String name, long version, SampleSchema schema) throws IOException {
    return object(
        json -> {
          json.writeStringField("name", name);
          json.writeArrayFieldStart("versions");
          json.writeString(Long.toString(version));
          json.writeEndArray();
          json.writeStringField("platform", NAME);
          json.writeArrayFieldStart("inputs");
          inputs(json, schema);
          json.writeEndArray();
          json.writeArrayFieldStart("outputs");
          outputs(json, schema.label());
          json.writeEndArray();
        });
  }

  private static void inputs(JsonGenerator json, SampleSchema schema) throws IOException {
    for (SampleSchema.DenseFeature each : schema.dense()) {
      Datatype type = each.reading().time().isEmpty() ? Datatype.FP64 : Datatype.BYTES;
      if (each.width() == 1) {
        tensor(json, each.name(), type, ROWS);
      } else {
        tensor(json, each.name(), type, ROWS, each.width());
      }
    }
    for (SampleSchema.CategoricalFeature each : schema.categorical()) {
      tensor(json, each.name(), Datatype.BYTES, ROWS);
    }
    for (SampleSchema.IdFeature each : schema.ids()) {
      if (each.mostIds() == 1) {
        tensor(json, each.name(), Datatype.BYTES, ROWS);
      } else {
        tensor(json, each.name(), Datatype.BYTES, ROWS, each.mostIds());
      }
    }
  }

  private static void outputs(JsonGenerator json, SampleSchema.Label label) throws IOException {
    if (label.task() == SampleSchema.Task.REGRESSION) {
      tensor(json, Answer.PREDICTION, Datatype.FP64, ROWS);
    } else {
      tensor(json, Answer.PREDICTION, Datatype.BYTES, ROWS);
      tensor(json, Answer.PROBABILITIES, Datatype.FP32, ROWS, label.classes().size());
    }
  }

  private static void tensor(JsonGenerator json, String name, Datatype type, int... shape)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("name", name);
    json.writeStringField("datatype", type.name());
    json.writeFieldName("shape");
    json.writeArray(shape, 0, shape.length);
    json.writeEndObject();
  }
}
