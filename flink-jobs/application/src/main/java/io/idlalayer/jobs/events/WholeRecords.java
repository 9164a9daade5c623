package io.idlalayer.jobs.events;

import java.lang.reflect.RecordComponent;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks that JSON contained all fields that a record requires, because an omitted field becomes
 * null.
 */
final class WholeRecords {
  private static final ClassValue<RecordComponent[]> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
          return type.getRecordComponents();
        }
      };

  private WholeRecords() {}

  /**
   * Returns whether nothing is null that is not declared {@link Nullable}, in a record and in the
   * records, lists and maps that it contains.
   */
  static boolean isWhole(@Nullable Record value) {
    if (value == null) {
      return false;
    }
    for (RecordComponent component : COMPONENTS.get(value.getClass())) {
      if (component.getType().isPrimitive()) {
        continue;
      }
      Object part = part(value, component);
      if (part == null
          ? !component.getAnnotatedType().isAnnotationPresent(Nullable.class)
          : !isWholePart(part)) {
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

  private static @Nullable Object part(Record value, RecordComponent component) {
    try {
      return component.getAccessor().invoke(value);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(
          "cannot read %s of %s".formatted(component.getName(), value.getClass()), impossible);
    }
  }
}
