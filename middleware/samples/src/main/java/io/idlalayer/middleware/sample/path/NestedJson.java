package io.idlalayer.middleware.sample.path;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the declared fields in JSON events, also inside objects and arrays. Other fields are
 * skipped. Confined to one thread.
 */
public final class NestedJson {
  private final PathTree tree;
  private final FoundFields found;

  public NestedJson(PathTree tree) {
    this.tree = tree;
    found = new FoundFields(tree);
  }

  /** Returns the fields that were found in the last event. */
  public FoundFields found() {
    return found;
  }

  /**
   * Returns a flat JSON object with the declared fields that an event has.
   *
   * @param parser a parser at the start of the event's object; afterwards it is at the end of the
   *     object
   * @throws IOException if the event is not JSON
   * @throws MalformedSampleException if a field is named twice, or is not where its path leads
   */
  public byte[] flat(JsonParser parser) throws IOException, MalformedSampleException {
    found.clear();
    object(parser, tree.root());
    JsonToken last = parser.currentToken();
    if (last != JsonToken.END_OBJECT || parser.nextToken() != null) {
      throw new IOException("text after the object");
    }
    return found.event();
  }

  // The depth of recursion is bounded by the longest path.
  private void object(JsonParser parser, PathTree.Node node)
      throws IOException, MalformedSampleException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      PathTree.Node inner = node.field(name);
      JsonToken token = parser.nextToken();
      if (inner == null) {
        parser.skipChildren();
      } else {
        String json = value(parser, token, inner, name);
        if (json != null) {
          found.set(inner, json);
        }
      }
    }
  }

  /** Reads a value at a place; returns the value as JSON if it belongs to a declared field. */
  private @Nullable String value(
      JsonParser parser, JsonToken token, PathTree.Node node, String name)
      throws IOException, MalformedSampleException {
    switch (token) {
      case START_OBJECT -> {
        found.visit(node, FoundFields.Kind.OBJECT, name);
        object(parser, node);
        // The decoder says that a value is expected.
        return node.valued() ? "{}" : null;
      }
      case START_ARRAY -> {
        found.visit(node, FoundFields.Kind.ARRAY, name);
        return array(parser, node, name);
      }
      default -> {
        boolean isNull = token == JsonToken.VALUE_NULL;
        found.visit(node, isNull ? FoundFields.Kind.NULL : FoundFields.Kind.SCALAR, name);
        return node.valued() ? scalar(parser, token, name) : null;
      }
    }
  }

  private @Nullable String array(JsonParser parser, PathTree.Node node, String name)
      throws IOException, MalformedSampleException {
    StringBuilder all = node.valued() ? new StringBuilder("[") : null;
    JsonToken token = parser.nextToken();
    for (int i = 0; token != JsonToken.END_ARRAY; i++) {
      PathTree.Node inner = node.element(i);
      String json = null;
      if (inner != null) {
        json = value(parser, token, inner, name + "[" + i + "]");
        if (json != null) {
          found.set(inner, json);
        }
      }
      if (all != null) {
        boolean single = json != null && token.isScalarValue();
        all.append(i == 0 ? "" : ",").append(single ? json : plain(parser, token, name));
      } else if (inner == null) {
        parser.skipChildren();
      }
      token = parser.nextToken();
    }
    return all == null ? null : all.append(']').toString();
  }

  /** Returns a value that is not at a place. The content of an object or array is left out. */
  private static String plain(JsonParser parser, JsonToken token, String name)
      throws IOException, MalformedSampleException {
    if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
      parser.skipChildren();
      return token == JsonToken.START_OBJECT ? "{}" : "[]";
    }
    return scalar(parser, token, name);
  }

  private static String scalar(JsonParser parser, JsonToken token, String name)
      throws IOException, MalformedSampleException {
    String text = parser.getText();
    if (token != JsonToken.VALUE_STRING) {
      return text;
    }
    EventEncoding.checkCharacters(name, text);
    StringBuilder json = new StringBuilder(text.length() + 2);
    FoundFields.text(json, text);
    return json.toString();
  }
}
