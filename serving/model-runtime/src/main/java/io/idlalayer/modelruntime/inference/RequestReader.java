package io.idlalayer.modelruntime.inference;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.idlalayer.middleware.sample.text.JsonReason;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses a request in one pass and keeps only the parts that are needed. Each part is checked
 * against a limit before it is kept. For one request and one thread.
 */
final class RequestReader {
  private static final long FAR_TOO_MANY = 1L << 32;
  private static final int DEEPEST = 64;
  private static final int LONGEST_NUMBER = 100;
  private static final int LONGEST_NAME = 1_000;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEEPEST)
                  .maxNumberLength(LONGEST_NUMBER)
                  .maxNameLength(LONGEST_NAME)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  private final JsonParser parser;
  private final boolean binaryFollows;
  private final List<Announced> announced = new ArrayList<>();
  private int elements;

  private RequestReader(JsonParser parser, boolean binaryFollows) {
    this.parser = parser;
    this.binaryFollows = binaryFollows;
  }

  /**
   * An input whose elements follow behind the JSON.
   *
   * @param number number of the input
   * @param bytes number of bytes of its elements
   */
  private record Announced(int number, InferenceTensor tensor, int bytes) {}

  /**
   * Reads a request whose elements may follow the JSON in binary form.
   *
   * @param jsonBytes number of bytes of the JSON
   * @throws InferenceException if the body is not a valid request
   * @throws IOException if reading from the client fails
   */
  static InferenceRequest readBinary(InputStream body, int jsonBytes)
      throws IOException, InferenceException {
    byte[] json = body.readNBytes(jsonBytes);
    if (json.length < jsonBytes) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "the body has %d bytes, and its JSON alone should have %d",
              json.length,
              jsonBytes));
    }
    RequestReader reader;
    InferenceRequest request;
    try (JsonParser parser = JSON.createParser(json)) {
      reader = new RequestReader(parser, true);
      request = reader.request();
    } catch (JsonProcessingException broken) {
      throw notJson(broken);
    }
    List<InferenceTensor> inputs = new ArrayList<>(request.inputs());
    for (Announced each : reader.announced) {
      inputs.set(each.number(), reader.following(body, each));
    }
    if (body.read() >= 0) {
      throw InferenceException.wrong("there is something after the last tensor");
    }
    return new InferenceRequest(request.id(), inputs, request.outputs(), request.binary());
  }

  /**
   * Reads a request in JSON.
   *
   * @throws InferenceException if the body is not a valid request
   * @throws IOException if reading from the client fails
   */
  static InferenceRequest read(InputStream body) throws IOException, InferenceException {
    try (JsonParser parser = JSON.createParser(body)) {
      return new RequestReader(parser, false).request();
    } catch (JsonProcessingException broken) {
      throw notJson(broken);
    }
  }

  private static InferenceException notJson(JsonProcessingException broken) {
    return InferenceException.wrong("the body is not a request in JSON: " + JsonReason.of(broken));
  }

  private InferenceTensor following(InputStream body, Announced input)
      throws IOException, InferenceException {
    InferenceTensor tensor = input.tensor();
    long count = elementsOf(tensor.shape());
    elements = (int) Math.min(elements + count, Integer.MAX_VALUE);
    if (elements > InferenceRequest.MOST_ELEMENTS) {
      throw tooManyElements();
    }
    Elements read =
        BinaryElements.read(body, tensor.name(), tensor.datatype(), (int) count, input.bytes());
    return new InferenceTensor(tensor.name(), tensor.datatype(), tensor.shape(), read);
  }

  private InferenceRequest request() throws IOException, InferenceException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw InferenceException.wrong("the body is not a JSON object");
    }
    String id = null;
    List<InferenceTensor> inputs = List.of();
    List<Wanted> outputs = List.of();
    boolean binary = false;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      switch (field) {
        case "id" -> id = string("the id of the request");
        case "inputs" -> inputs = inputs();
        case "outputs" -> outputs = outputs();
        case "parameters" ->
            binary =
                Boolean.TRUE.equals(
                    RequestParameters.flag(parser, "the request", "binary_data_output"));
        default -> parser.skipChildren();
      }
    }
    if (parser.nextToken() != null) {
      throw InferenceException.wrong("there is something after the JSON object");
    }
    if (inputs.isEmpty()) {
      throw InferenceException.wrong("the request has no inputs");
    }
    boolean otherwise = binary;
    return new InferenceRequest(
        id, inputs, outputs.stream().map(each -> each.output(otherwise)).toList(), binary);
  }

  private String string(String what) throws IOException, InferenceException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      throw InferenceException.wrong("%s is not a string".formatted(what));
    }
    if (parser.getTextLength() > LONGEST_NAME) {
      throw InferenceException.wrong(
          String.format(Locale.ROOT, "%s has more than %d characters", what, LONGEST_NAME));
    }
    return parser.getText();
  }

  private void beginArray(String what) throws InferenceException {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      throw InferenceException.wrong("%s is not an array".formatted(what));
    }
  }

  private List<InferenceTensor> inputs() throws IOException, InferenceException {
    beginArray("inputs");
    List<InferenceTensor> inputs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      InferenceTensor input = input(inputs.size());
      if (!names.add(input.name())) {
        throw InferenceException.wrong("input '%s' is there twice".formatted(input.name()));
      }
      inputs.add(input);
      if (inputs.size() > InferenceRequest.MOST_TENSORS) {
        throw InferenceException.wrong(
            String.format(
                Locale.ROOT, "there are more than %d inputs", InferenceRequest.MOST_TENSORS));
      }
    }
    return inputs;
  }

  private List<Wanted> outputs() throws IOException, InferenceException {
    beginArray("outputs");
    List<Wanted> outputs = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      Wanted output = output(String.format(Locale.ROOT, "outputs[%d]", outputs.size()));
      if (outputs.stream().anyMatch(each -> each.name().equals(output.name()))) {
        throw InferenceException.wrong(
            String.format(Locale.ROOT, "outputs[%d] is there twice", outputs.size()));
      }
      outputs.add(output);
      if (outputs.size() > Answer.OUTPUTS.size()) {
        throw InferenceException.wrong("the outputs are at most %s".formatted(Answer.OUTPUTS));
      }
    }
    return outputs;
  }

  /**
   * An output that the client names.
   *
   * @param binary whether its elements are wanted in binary form; null if the output does not say
   */
  private record Wanted(String name, @Nullable Boolean binary) {
    InferenceRequest.Output output(boolean otherwise) {
      return new InferenceRequest.Output(name, binary == null ? otherwise : binary);
    }
  }

  private Wanted output(String where) throws IOException, InferenceException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw InferenceException.wrong("%s is not an object".formatted(where));
    }
    String name = null;
    Boolean binary = null;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      switch (field) {
        case "name" -> name = string("the name of " + where);
        case "parameters" -> binary = RequestParameters.flag(parser, where, "binary_data");
        default -> parser.skipChildren();
      }
    }
    if (name == null) {
      throw InferenceException.wrong("%s has no name".formatted(where));
    }
    return new Wanted(name, binary);
  }

  private InferenceTensor input(int number) throws IOException, InferenceException {
    String where = String.format(Locale.ROOT, "inputs[%d]", number);
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw InferenceException.wrong("%s is not an object".formatted(where));
    }
    String name = null;
    String datatype = null;
    int[] shape = null;
    Data data = null;
    int bytes = -1;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      String at = name == null ? where : "input '%s'".formatted(name);
      switch (field) {
        case "name" -> name = string("the name of " + where);
        case "datatype" -> datatype = string("the datatype of " + at);
        case "shape" -> shape = shape(at);
        case "data" -> data = data(at, datatype);
        case "parameters" -> bytes = RequestParameters.binaryBytes(parser, at);
        default -> parser.skipChildren();
      }
    }
    if (name == null) {
      throw InferenceException.wrong("%s has no name".formatted(where));
    }
    Datatype type = Datatype.of(name, needed(name, "datatype", datatype));
    int[] known = needed(name, "shape", shape);
    if (bytes < 0) {
      return tensor(name, type, known, needed(name, "data", data));
    }
    if (data != null || !binaryFollows) {
      throw InferenceException.wrong(
          data != null
              ? "input '%s' has both data and binary_data_size; give one of them".formatted(name)
              : "input '%s' has binary_data_size, but the request has no header %s"
                  .formatted(name, InferenceHandler.JSON_BYTES));
    }
    InferenceTensor empty = new InferenceTensor(name, type, known, new Elements(false));
    announced.add(new Announced(number, empty, bytes));
    return empty;
  }

  private static <T> T needed(String input, String what, @Nullable T found)
      throws InferenceException {
    if (found == null) {
      throw InferenceException.wrong(
          "input '%s' has no %s%s"
              .formatted(input, what, what.equals("data") ? " and no binary_data_size" : ""));
    }
    return found;
  }

  private int[] shape(String where) throws IOException, InferenceException {
    beginArray("the shape of " + where);
    int[] shape = new int[InferenceRequest.MOST_DIMENSIONS];
    int dimensions = 0;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT || parser.getTextLength() > 9) {
        throw InferenceException.wrong(
            "the shape of %s has a value that is not a count".formatted(where));
      }
      if (dimensions == InferenceRequest.MOST_DIMENSIONS) {
        throw InferenceException.wrong(
            String.format(
                Locale.ROOT,
                "the shape of %s has more than %d dimensions",
                where,
                InferenceRequest.MOST_DIMENSIONS));
      }
      shape[dimensions++] = parser.getIntValue();
    }
    if (dimensions == 0 || Arrays.stream(shape).anyMatch(each -> each < 0)) {
      throw InferenceException.wrong(
          "the shape of %s is %s; it must begin with the number of rows, and have no negative size"
              .formatted(where, Arrays.toString(Arrays.copyOf(shape, dimensions))));
    }
    return Arrays.copyOf(shape, dimensions);
  }

  /** The elements of a tensor, and the depth and lengths of the arrays that contain them. */
  private static final class Data {
    final Elements elements;

    /** Number of elements of an array at each depth, -1 before the first array has ended. */
    final int[] lengths = new int[InferenceRequest.MOST_DIMENSIONS];

    int deepest = -1;
    boolean ragged;

    Data(Elements elements) {
      this.elements = elements;
      Arrays.fill(lengths, -1);
    }

    void ended(int depth, int length) {
      ragged |= lengths[depth] >= 0 && lengths[depth] != length;
      lengths[depth] = length;
    }

    void leaf(int depth) {
      ragged |= deepest >= 0 && deepest != depth;
      deepest = depth;
    }
  }

  private Data data(String where, @Nullable String datatype)
      throws IOException, InferenceException {
    beginArray("the data of " + where);
    boolean floating = "FP32".equals(datatype) || "FP64".equals(datatype);
    Data data = new Data(new Elements(floating));
    array(where, data, 0);
    return data;
  }

  private void array(String where, Data data, int depth) throws IOException, InferenceException {
    int length = 0;
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      length++;
      if (token == JsonToken.START_ARRAY) {
        if (depth + 1 == InferenceRequest.MOST_DIMENSIONS) {
          throw InferenceException.wrong("the data of %s is nested too deeply".formatted(where));
        }
        array(where, data, depth + 1);
      } else {
        element(where, data.elements, token);
        data.leaf(depth);
      }
    }
    data.ended(depth, length);
  }

  private void element(String where, Elements into, @Nullable JsonToken token)
      throws IOException, InferenceException {
    if (++elements > InferenceRequest.MOST_ELEMENTS) {
      throw tooManyElements();
    }
    if (token == JsonToken.VALUE_STRING && !into.asNumbers()) {
      into.addString(parser.getText());
    } else if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
      if (into.asNumbers()) {
        into.add(parser.getDoubleValue());
      } else {
        into.addNumber(parser.getText(), token == JsonToken.VALUE_NUMBER_INT);
      }
    } else {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "the data of %s has %s at element %d",
              where,
              described(token),
              into.count()));
    }
  }

  private static InferenceException tooManyElements() {
    return new InferenceException(
        413,
        String.format(
            Locale.ROOT,
            "the inputs have more than %d elements together",
            InferenceRequest.MOST_ELEMENTS));
  }

  private static String described(@Nullable JsonToken token) {
    return token == null
        ? "no end"
        : switch (token) {
          case VALUE_NULL -> "null";
          case VALUE_TRUE, VALUE_FALSE -> "a boolean";
          case VALUE_STRING -> "a string";
          default -> "an object";
        };
  }

  private static long elementsOf(int[] shape) {
    long elements = 1;
    for (int dimension : shape) {
      // The count must not wrap around when it is far above the limit.
      elements = Math.min(elements * dimension, FAR_TOO_MANY);
    }
    return elements;
  }

  private static InferenceTensor tensor(String name, Datatype type, int[] shape, Data data)
      throws InferenceException {
    data.elements.check(name, type);
    long expected = elementsOf(shape);
    if (expected != data.elements.count()) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': shape %s has %s elements, its data has %d",
              name,
              Arrays.toString(shape),
              expected == FAR_TOO_MANY ? "far too many" : Long.toString(expected),
              data.elements.count()));
    }
    if (data.ragged || (data.deepest > 0 && !nestedAs(shape, data))) {
      throw InferenceException.wrong(
          "input '%s': the nesting of its data does not match shape %s"
              .formatted(name, Arrays.toString(shape)));
    }
    return new InferenceTensor(name, type, shape, data.elements);
  }

  private static boolean nestedAs(int[] shape, Data data) {
    return data.deepest == shape.length - 1
        && Arrays.equals(shape, Arrays.copyOf(data.lengths, shape.length));
  }
}
