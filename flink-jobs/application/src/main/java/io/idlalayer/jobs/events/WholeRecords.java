package io.idlalayer.jobs.events;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks that JSON contained all fields that a record requires, because an omitted field becomes
 * null.
 */
final class WholeRecords {
  /**
   * For each type, its components and whether they can be null. They are cached, because reading
   * annotations takes long.
   */
  private static final ClassValue<List<Component>> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected List<Component> computeValue(Class<?> type) {
          return Arrays.stream(type.getRecordComponents())
              .filter(component -> !component.getType().isPrimitive())
              .map(Component::of)
              .toList();
        }
      };

  private record Component(String name, Method accessor, boolean nullable) {
    static Component of(RecordComponent component) {
      return new Component(
          component.getName(),
          component.getAccessor(),
          component.getAnnotatedType().isAnnotationPresent(Nullable.class));
    }
  }

  private WholeRecords() {}

  /**
   * Returns whether a record, and all records, lists and maps in it, have null only in components
   * that are declared {@link Nullable}.
   */
  static boolean isWhole(@Nullable Record value) {
    if (value == null) {
      return false;
    }
    for (Component component : COMPONENTS.get(value.getClass())) {
      Object part = part(value, component);
      if (part == null ? !component.nullable() : !isWholePart(part)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isWholePart(@Nullable Object part) {
    if (part instanceof Record nested) {
      return isWhole(nested);
    }
    if (part instanceof Map<?, ?> map) {
      return isWholePart(map.values());
    }
    if (part instanceof Iterable<?> all) {
      for (Object each : all) {
        if (!isWholePart(each)) {
          return false;
        }
      }
    }
    return part != null;
  }

  private static @Nullable Object part(Record value, Component component) {
    try {
      return component.accessor().invoke(value);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(
          "cannot read %s of %s".formatted(component.name(), value.getClass()), impossible);
    }
  }
}
