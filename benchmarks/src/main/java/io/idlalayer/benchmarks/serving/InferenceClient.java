package io.idlalayer.benchmarks.serving;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Asks the predict endpoint for the model {@code app}, with bodies made beforehand. */
final class InferenceClient {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<HttpRequest> requests = new ArrayList<>();

  /**
   * @param events events of a model with dense features, or of {@link SizedModels}
   * @param batch number of samples of a request
   */
  InferenceClient(URI address, List<SizedModels.Event> events, int batch) {
    URI infer = URI.create(address.toString().replaceFirst("/+$", "") + "/models/app/infer");
    for (int first = 0; first + batch <= events.size(); first++) {
      requests.add(
          HttpRequest.newBuilder(infer)
              .POST(HttpRequest.BodyPublishers.ofString(body(events.subList(first, first + batch))))
              .build());
    }
  }

  private static String body(List<SizedModels.Event> events) {
    ObjectNode body = JSON.createObjectNode();
    body.putArray("outputs").addObject().put("name", "probabilities");
    ArrayNode inputs = body.putArray("inputs");
    int rows = events.size();
    int width = events.get(0).dense().length;
    ArrayNode dense = tensor(inputs, "features", "FP32", rows, width);
    for (SizedModels.Event event : events) {
      for (float value : event.dense()) {
        dense.add(value);
      }
    }
    for (int c = 0; c < events.get(0).categories().length; c++) {
      ArrayNode values = tensor(inputs, "c" + c, "INT32", rows, 1);
      for (SizedModels.Event event : events) {
        values.add(event.categories()[c]);
      }
    }
    for (int i = 0; i < events.get(0).ids().length; i++) {
      ArrayNode values = tensor(inputs, "i" + i, "INT64", rows, 1);
      for (SizedModels.Event event : events) {
        values.add(event.ids()[i]);
      }
    }
    return body.toString();
  }

  private static ArrayNode tensor(ArrayNode to, String name, String type, int rows, int width) {
    ObjectNode tensor = to.addObject().put("name", name).put("datatype", type);
    tensor.putArray("shape").add(rows).add(width);
    return tensor.putArray("data");
  }

  /** The version that answered; writes the probabilities of all samples. */
  long ask(int first, float[] answers, int to) throws IOException, InterruptedException {
    HttpResponse<byte[]> response =
        client.send(requests.get(first), HttpResponse.BodyHandlers.ofByteArray());
    JsonNode answer = JSON.readTree(response.body());
    if (response.statusCode() != 200) {
      throw new IOException(answer.toString());
    }
    JsonNode numbers = answer.path("outputs").path(0).path("data");
    IntStream.range(0, numbers.size()).forEach(i -> answers[to + i] = numbers.path(i).floatValue());
    return answer.path("parameters").path("version").asLong();
  }
}
