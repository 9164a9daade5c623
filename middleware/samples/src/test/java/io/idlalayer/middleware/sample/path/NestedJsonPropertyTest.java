package io.idlalayer.middleware.sample.path;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.idlalayer.middleware.sample.MalformedSampleException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** Compares what is found in random events at random paths with a walk over the same objects. */
class NestedJsonPropertyTest {
  private static final List<String> NAMES = List.of("a", "b", "a.b", "c[0]", "\u00e4\"\\", "");
  private static final int PATHS = 12;

  private final Random random = new Random();

  @Property(tries = 3_000)
  void flat_randomEvents_hasWhatAWalkFinds(@ForAll long seed) throws Exception {
    random.setSeed(seed);
    Map<String, @Nullable Object> event = object(4);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < PATHS; i++) {
      String name = name(event);
      if (!names.contains(name)) {
        names.add(name);
      }
    }
    String expected = expected(event, names);
    NestedJson nested = new NestedJson(new PathTree(names));
    // The next event finds nothing of the one before.
    assertThat(found(nested, json(object(3)))).isNotEmpty();

    assertThat(found(nested, json(event))).as("%s of %s", names, json(event)).isEqualTo(expected);
  }

  private static String found(NestedJson nested, String event) throws Exception {
    try (JsonParser parser = new JsonFactory().createParser(event)) {
      parser.nextToken();
      return new String(nested.flat(parser), StandardCharsets.UTF_8);
    } catch (MalformedSampleException refused) {
      return "refused " + refused.field();
    }
  }

  /** Returns the flat event, or the field with which it is refused, by a walk over the objects. */
  private static String expected(Map<String, @Nullable Object> event, List<String> names) {
    Map<String, @Nullable Object> flat = new LinkedHashMap<>();
    for (String name : names) {
      FieldPath path = FieldPath.of(name);
      if (event.containsKey(name)) {
        flat.put(name, shallow(event.get(name), true));
        continue;
      }
      Object at = event;
      boolean there = path != null;
      for (int i = 0; there && i < path.steps().size(); i++) {
        FieldPath.Step step = path.steps().get(i);
        if (step instanceof FieldPath.Step.Name named && at instanceof Map<?, ?> map) {
          there = map.containsKey(named.name());
          at = map.get(named.name());
        } else if (step instanceof FieldPath.Step.Position position && at instanceof List<?> list) {
          there = position.index() < list.size();
          at = there ? list.get(position.index()) : null;
        } else if (at == null) {
          there = false;
        } else {
          return "refused " + name;
        }
      }
      if (there) {
        flat.put(name, shallow(at, true));
      }
    }
    return json(flat);
  }

  /** Returns a value without what is inside of its objects, and of arrays in its array. */
  private static @Nullable Object shallow(@Nullable Object value, boolean top) {
    if (value instanceof Map<?, ?>) {
      return Map.of();
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> inner = new ArrayList<>();
      list.forEach(each -> inner.add(shallow(each, false)));
      return top ? inner : List.of();
    }
    return value;
  }

  private Map<String, @Nullable Object> object(int depth) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      all.put(NAMES.get(random.nextInt(NAMES.size())), value(depth - 1));
    }
    return all;
  }

  private @Nullable Object value(int depth) {
    int kind = random.nextInt(depth <= 0 ? 4 : 8);
    if (kind == 4 || kind == 5) {
      List<@Nullable Object> all = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        all.add(value(depth - 1));
      }
      return all;
    }
    return switch (kind) {
      case 0 -> null;
      case 1 -> random.nextInt(100);
      case 2 -> "t" + NAMES.get(random.nextInt(NAMES.size()));
      case 3 -> random.nextBoolean();
      default -> object(depth);
    };
  }

  /** Returns the name of a field that is often in an event. */
  private String name(Map<String, @Nullable Object> event) {
    StringBuilder name = new StringBuilder();
    Object at = event;
    for (int steps = 1 + random.nextInt(4); steps > 0; steps--) {
      if (at instanceof List<?> list && random.nextInt(8) > 0) {
        int index = random.nextInt(list.size() + 1);
        name.append('[').append(index).append(']');
        at = index < list.size() ? list.get(index) : null;
        continue;
      }
      List<String> keys = new ArrayList<>(NAMES);
      if (at instanceof Map<?, ?> map && !map.isEmpty() && random.nextInt(8) > 0) {
        keys.clear();
        map.keySet().forEach(key -> keys.add((String) key));
      }
      String key = keys.get(random.nextInt(keys.size()));
      name.append(
          key.equals("a") || key.equals("b")
              ? (name.isEmpty() ? "" : ".") + key
              : "[\"" + key.replace("\\", "\\\\").replace("\"", "\\\"") + "\"]");
      at = at instanceof Map<?, ?> map ? map.get(key) : null;
    }
    return random.nextInt(6) == 0 ? NAMES.get(random.nextInt(NAMES.size())) : name.toString();
  }

  private static String json(@Nullable Object value) {
    StringBuilder to = new StringBuilder();
    if (value instanceof Map<?, ?> map) {
      map.forEach(
          (key, each) -> {
            to.append(to.isEmpty() ? "{" : ",");
            FoundFields.text(to, (String) key);
            to.append(':').append(json(each));
          });
      return to.isEmpty() ? "{}" : to.append('}').toString();
    }
    if (value instanceof List<?> list) {
      list.forEach(each -> to.append(to.isEmpty() ? "[" : ",").append(json(each)));
      return to.isEmpty() ? "[]" : to.append(']').toString();
    }
    if (value instanceof String text) {
      FoundFields.text(to, text);
      return to.toString();
    }
    return String.valueOf(value);
  }
}
