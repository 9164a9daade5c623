package io.idlalayer.modelruntime.inference;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.middleware.sample.Sample;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tensors in binary form, behind the JSON of a request and of an answer. */
final class BinaryTensorsTest extends InferenceServerFixture {
  private static final String HEADER = InferenceHandler.JSON_BYTES;
  private static final byte[] HALF = floats(0.5f);
  private static final byte[] ONE_TWO = floats(1, 2);

  private static byte[] floats(float... numbers) {
    byte[] bytes = new byte[4 * numbers.length];
    ByteBuffer into = little(bytes);
    for (float each : numbers) {
      into.putFloat(each);
    }
    return bytes;
  }

  private static byte[] doubles(double... numbers) {
    byte[] bytes = new byte[8 * numbers.length];
    ByteBuffer into = little(bytes);
    for (double each : numbers) {
      into.putDouble(each);
    }
    return bytes;
  }

  private static byte[] longs(long... numbers) {
    byte[] bytes = new byte[8 * numbers.length];
    ByteBuffer into = little(bytes);
    for (long each : numbers) {
      into.putLong(each);
    }
    return bytes;
  }

  private static byte[] texts(String... texts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (String each : texts) {
      byte[] text = each.getBytes(StandardCharsets.UTF_8);
      byte[] length = new byte[4];
      little(length).putInt(text.length);
      all.writeBytes(length);
      all.writeBytes(text);
    }
    return all.toByteArray();
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static String binary(String name, String datatype, String shape, int bytes) {
    return binary(name, datatype, shape, Integer.toString(bytes));
  }

  private static String binary(String name, String datatype, String shape, String bytes) {
    return "{\"name\":\"%s\",\"shape\":%s,\"datatype\":\"%s\",\"parameters\":{\"binary_data_size\":%s}}"
        .formatted(name, shape, datatype, bytes);
  }

  private HttpResponse<byte[]> post(String json, String jsonBytes, byte[]... tensors)
      throws Exception {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(json.getBytes(StandardCharsets.UTF_8));
    for (byte[] each : tensors) {
      body.writeBytes(each);
    }
    HttpRequest request =
        HttpRequest.newBuilder(address("/models/app/infer"))
            .header(HEADER, jsonBytes)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  private HttpResponse<byte[]> post(String json, byte[]... tensors) throws Exception {
    return post(json, Integer.toString(json.getBytes(StandardCharsets.UTF_8).length), tensors);
  }

  private static void assertSame(Sample actual, Sample expected, String what) {
    assertThat(actual.dense()).as(what).isEqualTo(expected.dense());
    assertThat(actual.categorical()).as(what).isEqualTo(expected.categorical());
    assertThat(actual.ids()).as(what).isEqualTo(expected.ids());
  }

  @Test
  void infer_binaryInputsOfEachType_areTheSamplesOfTheSameRequestInJson() throws Exception {
    start();
    infer(
        200,
        inputs(
            tensor("x", "FP64", "[2]", "[0.1,-3e2]"),
            tensor("v", "FP32", "[2,2]", "[1,2,3,4]"),
            tensor("kind", "BYTES", "[2,1]", "[\"aé\",\"\"]"),
            tensor("user", "INT64", "[2]", "[9007199254740993,-7]"),
            tensor("items", "BYTES", "[2,3]", "[\"p\",\"q\",\"\",\"\",\"\",\"\"]")));
    List<Sample> expected = List.copyOf(asked);
    byte[] x = doubles(0.1, -300);
    byte[] v = floats(1, 2, 3, 4);
    byte[] kind = texts("aé", "");
    byte[] user = longs(9007199254740993L, -7);
    byte[] items = texts("p", "q", "", "", "", "");
    HttpResponse<byte[]> all =
        post(
            inputs(
                binary("x", "FP64", "[2]", x.length),
                binary("v", "FP32", "[2,2]", v.length),
                binary("kind", "BYTES", "[2,1]", kind.length),
                binary("user", "INT64", "[2]", user.length),
                binary("items", "BYTES", "[2,3]", items.length)),
            x,
            v,
            kind,
            user,
            items);
    assertThat(all.statusCode()).as(new String(all.body(), StandardCharsets.UTF_8)).isEqualTo(200);
    assertThat(all.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(all.headers().firstValue(HEADER)).isEmpty();
    assertSame(asked.get(0), expected.get(0), "row 0");
    assertSame(asked.get(1), expected.get(1), "row 1");
    // Between tensors in JSON, and numbers of 32 bits for a column of numbers.
    byte[] integers = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
    HttpResponse<byte[]> mixed =
        post(
            inputs(
                tensor("user", "BYTES", "[2]", "[\"9007199254740993\",\"-7\"]"),
                binary("v", "INT32", "[2,2]", 16),
                tensor("x", "FP64", "[2]", "[0.1,-3e2]"),
                binary("kind", "BYTES", "[2]", kind.length),
                tensor("items", "BYTES", "[2,2]", "[\"p\",\"q\",\"\",\"\"]")),
            integers,
            kind);
    assertThat(mixed.statusCode()).isEqualTo(200);
    assertSame(asked.get(0), expected.get(0), "mixed, row 0");
    assertSame(asked.get(1), expected.get(1), "mixed, row 1");
    byte[] events = texts("{\"x\": 0.5, \"v\": [1, 2]}");
    assertThat(post(inputs(binary("events", "BYTES", "[1]", events.length)), events).statusCode())
        .isEqualTo(200);
    assertThat(asked).hasSize(1);
  }

  @Test
  void infer_binaryOutputs_haveTheNumbersOfTheJson() throws Exception {
    start();
    String request = inputs(binary("x", "FP32", "[1]", 4), binary("v", "FP32", "[1,2]", 8));
    List<String> wanted =
        List.of(
            "\"parameters\":{\"binary_data_output\":true}",
            "\"outputs\":[{\"name\":\"prediction\"},{\"name\":\"probabilities\",\"parameters\":null}],"
                + "\"parameters\":{\"binary_data_output\":true,\"parameters\":{\"binary_data\":1}}",
            "\"outputs\":[{\"name\":\"prediction\",\"parameters\":{\"binary_data\":true}},"
                + "{\"name\":\"probabilities\",\"parameters\":{\"binary_data\":true}}]");
    for (String each : wanted) {
      HttpResponse<byte[]> answer =
          post("{\"id\":\"é\"," + each + "," + request.substring(1), HALF, ONE_TWO);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/octet-stream");
      assertThat(answer.headers().firstValue("Idla-Model-Version")).contains("1");
      int length = Integer.parseInt(answer.headers().firstValue(HEADER).orElseThrow());
      JsonNode json = JSON.readTree(Arrays.copyOf(answer.body(), length));
      assertThat(json.path("id").asText()).isEqualTo("é");
      assertThat(json.at("/outputs/0/parameters/binary_data_size").asInt()).isEqualTo(6);
      assertThat(json.at("/outputs/1/parameters/binary_data_size").asInt()).isEqualTo(8);
      assertThat(json.at("/outputs/0").has("data")).isFalse();
      ByteArrayOutputStream tensors = new ByteArrayOutputStream();
      tensors.writeBytes(texts("no"));
      tensors.writeBytes(floats(0.999f, 0.001f));
      assertThat(Arrays.copyOfRange(answer.body(), length, answer.body().length))
          .isEqualTo(tensors.toByteArray());
    }
    // One of two in binary form, asked for in JSON.
    HttpResponse<byte[]> one =
        post(
            "{\"parameters\":{\"binary_data_output\":true},"
                + "\"outputs\":[{\"name\":\"probabilities\",\"parameters\":{\"binary_data\":false}},{\"name\":\"prediction\","
                + "\"parameters\":{\"binary_data\":true}}],"
                + inputs(X, V).substring(1));
    int length = Integer.parseInt(one.headers().firstValue(HEADER).orElseThrow());
    JsonNode json = JSON.readTree(Arrays.copyOf(one.body(), length));
    assertThat(json.at("/outputs/0/data")).hasSize(2);
    assertThat(Arrays.copyOfRange(one.body(), length, one.body().length)).isEqualTo(texts("no"));
  }

  private static void assertRefused(String why, HttpResponse<byte[]> answer) throws Exception {
    String error = new String(answer.body(), StandardCharsets.UTF_8);
    assertThat(answer.statusCode()).as(why + error).isEqualTo(400);
    assertThat(JSON.readTree(error).path("error").asText()).contains(why);
  }

  @Test
  void infer_wrongBinaryRequests_areRefusedSayingWhatIsWrong() throws Exception {
    start();
    String v = binary("v", "FP32", "[1,2]", 8);
    String both = inputs(binary("x", "FP32", "[1]", 4), v);
    assertRefused("its JSON alone should have 100000", post(both, "100000", HALF, ONE_TWO));
    assertRefused("the header " + HEADER + " is '-1'", post(both, "-1", HALF, ONE_TWO));
    assertRefused("the header " + HEADER + " is '99999999'", post(both, "99999999", HALF, ONE_TWO));
    assertRefused("the body is not a JSON object", post(both, "0", HALF, ONE_TWO));
    assertRefused("not a request in JSON", post(both, Integer.toString(both.length() - 1), HALF));
    assertRefused("input 'x': the body ends after 0 of its 4 bytes", post(both));
    assertRefused("input 'v': the body ends after 4 of its 8 bytes", post(both, HALF, HALF));
    assertRefused("something after the last tensor", post(both, HALF, ONE_TWO, HALF));
    assertRefused(
        "input 'x': its shape (1) and FP64 make 8 bytes, and its binary_data_size is 4",
        post(inputs(binary("x", "FP64", "[1]", 4), v), HALF, ONE_TWO));
    for (String size : List.of("-4", "4.0", "\"4\"", "null", "12345678901")) {
      assertRefused(
          "the binary_data_size of input 'x' is not a number of bytes",
          post(inputs(binary("x", "FP32", "[1]", size), v), HALF, ONE_TWO));
    }
    assertRefused(
        "input 'x' has both data and binary_data_size; give one of them",
        post(
            inputs(
                "{\"name\":\"x\",\"shape\":[1],\"datatype\":\"FP32\",\"data\":[1],"
                    + "\"parameters\":{\"binary_data_size\":4}}",
                v),
            HALF,
            ONE_TWO));
    assertRefused(
        "the parameters of input 'x' are not an object",
        post(
            inputs("{\"name\":\"x\",\"shape\":[1],\"datatype\":\"FP32\",\"parameters\":[4]}", v),
            HALF,
            ONE_TWO));
    assertRefused(
        "the parameter binary_data_output of the request is neither true nor false",
        post("{\"parameters\":{\"binary_data_output\":1}," + both.substring(1), HALF, ONE_TWO));
    assertRefused("input 'x', row 0: x: ", post(both, floats(Float.NaN), ONE_TWO));
    assertRefused("input 'v', row 0: v", post(both, HALF, floats(1, Float.POSITIVE_INFINITY)));
    byte[] text = texts("ab");
    assertRefused(
        "input 'kind': element 0 goes beyond the 3 bytes",
        post(inputs(X, V, binary("kind", "BYTES", "[1]", 3)), Arrays.copyOf(text, 3)));
    assertRefused(
        "input 'kind': element 0 goes beyond the 6 bytes",
        post(inputs(X, V, binary("kind", "BYTES", "[1]", 6)), new byte[] {-1, -1, -1, -1, 0, 0}));
    assertRefused(
        "input 'kind': the elements of its shape (1) end after 6 bytes, and its binary_data_size is 12",
        post(inputs(X, V, binary("kind", "BYTES", "[1]", 12)), text, text));
    assertRefused(
        "input 'kind': element 0 is not UTF-8",
        post(inputs(X, V, binary("kind", "BYTES", "[1]", 5)), new byte[] {1, 0, 0, 0, -1}));
    assertThat(infer(400, inputs(binary("x", "FP32", "[1]", 4), V)).path("error").asText())
        .isEqualTo("input 'x' has binary_data_size, but the request has no header " + HEADER);
    assertThat(post(both, HALF, ONE_TWO).statusCode()).isEqualTo(200);
  }

  @Test
  void infer_tooManyBinaryElements_areRefused() throws Exception {
    start();
    byte[] large = new byte[(int) InferenceServer.MOST_BODY_BYTES];
    String json = inputs(binary("x", "FP32", "[1048576]", large.length), V);
    assertThat(post(json, large).statusCode()).isEqualTo(413);
    HttpResponse<byte[]> far =
        post(inputs(binary("x", "FP64", "[999999999,999999999]", 4), V), HALF);
    assertThat(far.statusCode()).isEqualTo(413);
    assertThat(new String(far.body(), StandardCharsets.UTF_8)).contains("524288 elements");
    assertThat(post(inputs(X, V)).statusCode()).isEqualTo(200);
  }
}
