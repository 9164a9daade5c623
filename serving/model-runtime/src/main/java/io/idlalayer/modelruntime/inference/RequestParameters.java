package io.idlalayer.modelruntime.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the parameters of a request, an input or an output. Skips unknown parameters. */
final class RequestParameters {
  private RequestParameters() {}

  /** Reads parameters, and returns one that is true or false; null if it is not there. */
  static @Nullable Boolean flag(JsonParser parser, String where, String name)
      throws IOException, InferenceException {
    Boolean found = null;
    boolean some = begin(parser, where);
    while (some && parser.nextToken() == JsonToken.FIELD_NAME) {
      JsonToken value = parser.nextToken();
      if (parser.currentName().equals(name)) {
        if (!value.isBoolean()) {
          throw InferenceException.wrong(
              "the parameter %s of %s is neither true nor false".formatted(name, where));
        }
        found = value == JsonToken.VALUE_TRUE;
      }
      parser.skipChildren();
    }
    return found;
  }

  /** Reads the parameters of an input, and returns its bytes in binary form; -1 for none. */
  static int binaryBytes(JsonParser parser, String where) throws IOException, InferenceException {
    int bytes = -1;
    boolean some = begin(parser, where);
    while (some && parser.nextToken() == JsonToken.FIELD_NAME) {
      JsonToken value = parser.nextToken();
      if (parser.currentName().equals("binary_data_size")) {
        boolean count = value == JsonToken.VALUE_NUMBER_INT && parser.getTextLength() <= 9;
        bytes = count ? parser.getIntValue() : -1;
        if (bytes < 0) {
          throw InferenceException.wrong(
              "the binary_data_size of %s is not a number of bytes".formatted(where));
        }
      }
      parser.skipChildren();
    }
    return bytes;
  }

  /** Returns whether there are parameters, and not null in their place. */
  private static boolean begin(JsonParser parser, String where) throws InferenceException {
    JsonToken found = parser.currentToken();
    if (found != JsonToken.START_OBJECT && found != JsonToken.VALUE_NULL) {
      throw InferenceException.wrong("the parameters of %s are not an object".formatted(where));
    }
    return found == JsonToken.START_OBJECT;
  }
}
