package io.idlalayer.console.server;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The types that a TypeScript file declares, and whether JSON is of them. Knows what {@link
 * PageTypes} writes, and reads it independently.
 */
final class TypeScriptTypes {
  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/", Pattern.DOTALL);
  private static final Pattern TOKEN = Pattern.compile("'[^']*'|\\w+|\\S");

  private final Map<String, Type> types = new HashMap<>();
  private final Set<String> unmet = new TreeSet<>();

  /** What JSON may be. */
  @FunctionalInterface
  private interface Type {
    /** Adds what is wrong with a value, which is at a path. */
    void check(String path, JsonNode value, List<String> problems);
  }

  /** A field of an interface. */
  private record Field(boolean sometimesAbsent, Type type) {}

  /** The types of a file. */
  TypeScriptTypes(String file) {
    types.put("string", is("a string", JsonNode::isTextual));
    types.put("number", is("a number", JsonNode::isNumber));
    types.put("boolean", is("a boolean", JsonNode::isBoolean));
    types.put("null", is("null", JsonNode::isNull));
    new Parser(file).declarations();
  }

  /** What is wrong with a value that should be of a type, with the path of each place. */
  List<String> problems(String type, JsonNode value) {
    List<String> problems = new ArrayList<>();
    new Parser(type).type().check("", value, problems);
    return problems;
  }

  /** Fields of interfaces, as {@code Status.samples}, that no value had so far. */
  Set<String> unmet() {
    return unmet;
  }

  private static Type is(String what, Predicate<JsonNode> test) {
    return (path, value, problems) -> {
      if (!test.test(value)) {
        problems.add("%s is %s, not %s".formatted(path, value, what));
      }
    };
  }

  private static Type array(Type element) {
    Type array = is("an array", JsonNode::isArray);
    return (path, value, problems) -> {
      array.check(path, value, problems);
      for (int i = 0; i < value.size() && value.isArray(); i++) {
        element.check(path + "[" + i + "]", value.get(i), problems);
      }
    };
  }

  private static Type map(Type entry) {
    Type object = is("an object", JsonNode::isObject);
    return (path, value, problems) -> {
      object.check(path, value, problems);
      value
          .properties()
          .forEach(each -> entry.check(path + "." + each.getKey(), each.getValue(), problems));
    };
  }

  private static Type union(List<Type> alternatives) {
    return (path, value, problems) -> {
      List<String> all = new ArrayList<>();
      for (Type each : alternatives) {
        int before = all.size();
        each.check(path, value, all);
        if (all.size() == before) {
          return;
        }
      }
      problems.addAll(all);
    };
  }

  private Type object(String name, Map<String, Field> fields) {
    Type object = is("a " + name, JsonNode::isObject);
    return (path, value, problems) -> {
      object.check(path, value, problems);
      for (Map.Entry<String, JsonNode> each : value.properties()) {
        Field field = fields.get(each.getKey());
        String place = path + "." + each.getKey();
        if (field == null) {
          problems.add("%s is not in the type %s".formatted(place, name));
        } else {
          field.type().check(place, each.getValue(), problems);
          unmet.remove(name + "." + each.getKey());
        }
      }
      fields.forEach(
          (field, its) -> {
            if (value.isObject() && !its.sometimesAbsent() && !value.has(field)) {
              problems.add("%s.%s is missing; %s has it".formatted(path, field, name));
            }
          });
    };
  }

  /** Reads declarations and types. */
  private final class Parser {
    private final List<String> tokens;
    private int next;

    Parser(String text) {
      tokens =
          TOKEN
              .matcher(COMMENT.matcher(text).replaceAll(""))
              .results()
              .map(MatchResult::group)
              .toList();
    }

    void declarations() {
      while (next < tokens.size()) {
        expect("export");
        boolean isInterface = take("interface");
        if (!isInterface) {
          expect("type");
        }
        String name = take();
        if (types.containsKey(name)) {
          throw new IllegalArgumentException("two types are called " + name);
        }
        types.put(name, isInterface ? object(name, fields(name)) : alias());
      }
    }

    private Type alias() {
      expect("=");
      Type type = type();
      expect(";");
      return type;
    }

    private Map<String, Field> fields(String name) {
      Map<String, Field> fields = new HashMap<>();
      expect("{");
      while (!take("}")) {
        String field = take();
        boolean sometimesAbsent = take("?");
        expect(":");
        fields.put(field, new Field(sometimesAbsent, type()));
        unmet.add(name + "." + field);
        expect(";");
      }
      return fields;
    }

    Type type() {
      List<Type> alternatives = new ArrayList<>();
      do {
        take("|");
        alternatives.add(postfix());
      } while (next < tokens.size() && tokens.get(next).equals("|"));
      return alternatives.size() == 1 ? alternatives.get(0) : union(alternatives);
    }

    private Type postfix() {
      Type type = primary();
      while (take("[")) {
        expect("]");
        type = array(type);
      }
      return type;
    }

    private Type primary() {
      String token = take();
      if (token.equals("(")) {
        Type type = type();
        expect(")");
        return type;
      } else if (token.startsWith("'")) {
        String literal = token.substring(1, token.length() - 1);
        return is(token, value -> value.isTextual() && value.textValue().equals(literal));
      } else if (token.equals("Record")) {
        expect("<");
        expect("string");
        expect(",");
        Type entry = type();
        expect(">");
        return map(entry);
      }
      return (path, value, problems) -> named(token).check(path, value, problems);
    }

    private boolean take(String token) {
      boolean is = next < tokens.size() && tokens.get(next).equals(token);
      next += is ? 1 : 0;
      return is;
    }

    private String take() {
      return tokens.get(next++);
    }

    private void expect(String token) {
      if (!take(token)) {
        throw new IllegalArgumentException(
            "'%s' is missing before %s".formatted(token, tokens.subList(next, tokens.size())));
      }
    }
  }

  private Type named(String name) {
    Type type = types.get(name);
    if (type == null) {
      throw new IllegalArgumentException("there is no type " + name);
    }
    return type;
  }
}
