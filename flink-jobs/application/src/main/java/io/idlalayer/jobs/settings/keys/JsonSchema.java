package io.idlalayer.jobs.settings.keys;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;

/**
 * Writes the keys of an application file as a JSON Schema, with which editors complete and check
 * the file. Rules that concern several keys are not in the schema; the reader of the file checks
 * them.
 */
public final class JsonSchema {
  private static final String VARIABLE = "\\$\\{(env:[A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\\}";
  private static final String GROUPED = "^[+-]?[0-9]+(_[0-9]+)+$";
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final KeyForms forms;

  private JsonSchema(KeyForms forms) {
    this.forms = forms;
  }

  /** Returns the schema of files with these keys, as indented JSON. */
  public static String of(KeyForms forms) {
    ObjectNode root = JSON.objectNode();
    root.put("$schema", "http://json-schema.org/draft-07/schema#");
    root.put("title", "Application file of iDlaLayer");
    root.put("description", "docs/application-file.md explains all keys.");
    root.setAll(new JsonSchema(forms).section(""));
    try {
      return new ObjectMapper()
              .enable(SerializationFeature.INDENT_OUTPUT)
              .writeValueAsString(root)
              .replace("\r", "")
          + "\n";
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private ObjectNode section(String path) {
    ObjectNode section = JSON.objectNode();
    section.put("type", "object");
    ObjectNode properties = section.putObject("properties");
    ArrayNode required = JSON.arrayNode();
    for (String key : forms.keysOf(path)) {
      String inner = path.isEmpty() ? key : path + "." + key;
      properties.set(key, value(inner));
      if (forms.required(inner)) {
        required.add(key);
      }
    }
    if (!required.isEmpty()) {
      section.set("required", required);
    }
    section.put("additionalProperties", false);
    return section;
  }

  private ObjectNode value(String path) {
    Set<KeyForm> known = forms.of(path);
    boolean narrow = known.stream().anyMatch(it -> it.kind() == KeyForm.Kind.CHOICE);
    ArrayNode any = JSON.arrayNode();
    boolean variable = false;
    for (KeyForm form : known) {
      variable |= form.kind().compareTo(KeyForm.Kind.LIST) < 0;
      switch (form.kind()) {
        case TEXT -> {
          if (!narrow) {
            any.add(scalar());
          }
        }
        case FLAG -> any.add(flag());
        case CHOICE -> any.add(choice(form.words()));
        case WHOLE -> any.add(whole(form)).add(pattern(GROUPED));
        case NUMBER -> any.add(number(form));
        case DURATION -> any.add(pattern("^(" + form.words().get(0) + ")$"));
        case SIZE -> {
          any.add(pattern("^(" + form.words().get(0) + ")$"));
          any.add(JSON.objectNode().put("type", "integer").put("minimum", 0));
        }
        case LIST -> any.add(list(path, known));
        case SECTION -> any.add(section(path));
        case ENTRIES -> {
          ObjectNode entries = JSON.objectNode().put("type", "object");
          entries.set("additionalProperties", scalar());
          any.add(entries);
        }
        case LISTED_TEXT, LISTED_SECTION -> {
          // These keys are the elements of the list.
        }
      }
    }
    if (variable) {
      any.add(pattern(VARIABLE));
    }
    if (!forms.required(path)) {
      any.add(JSON.objectNode().put("type", "null"));
    }
    ObjectNode value = JSON.objectNode();
    value.set("anyOf", any);
    return value;
  }

  private ObjectNode list(String path, Set<KeyForm> known) {
    ArrayNode elements = JSON.arrayNode();
    List<String> words =
        known.stream()
            .filter(it -> it.kind() == KeyForm.Kind.CHOICE)
            .findFirst()
            .map(KeyForm::words)
            .orElse(List.of());
    for (KeyForm form : known) {
      if (form.kind() == KeyForm.Kind.LISTED_TEXT) {
        elements.add(words.isEmpty() ? scalar() : choice(words));
        if (!words.isEmpty()) {
          elements.add(pattern(VARIABLE));
        }
      } else if (form.kind() == KeyForm.Kind.LISTED_SECTION) {
        elements.add(section(path));
      }
    }
    ObjectNode list = JSON.objectNode().put("type", "array");
    list.putObject("items").set("anyOf", elements);
    return list;
  }

  private static ObjectNode scalar() {
    ObjectNode scalar = JSON.objectNode();
    scalar.putArray("type").add("string").add("number").add("boolean");
    return scalar;
  }

  private static ObjectNode flag() {
    ObjectNode flag = JSON.objectNode();
    flag.putArray("enum").add(true).add(false).add("yes").add("no").add("on").add("off");
    return flag;
  }

  private static ObjectNode choice(List<String> words) {
    ObjectNode choice = JSON.objectNode();
    ArrayNode values = choice.putArray("enum");
    words.forEach(values::add);
    return choice;
  }

  private static ObjectNode whole(KeyForm form) {
    return JSON.objectNode()
        .put("type", "integer")
        .put("minimum", (long) form.least())
        .put("maximum", (long) form.most());
  }

  private static ObjectNode number(KeyForm form) {
    return JSON.objectNode()
        .put("type", "number")
        .put(form.open() ? "exclusiveMinimum" : "minimum", form.least())
        .put("maximum", form.most());
  }

  private static ObjectNode pattern(String regex) {
    return JSON.objectNode().put("type", "string").put("pattern", regex);
  }
}
