package io.idlalayer.testkit;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;

/** Copies of records. */
public final class Records {
  /** Parts of a record class. Looking them up for every copy takes most of the time. */
  private static final ClassValue<Parts> PARTS =
      new ClassValue<>() {
        @Override
        protected Parts computeValue(Class<?> type) {
          return Parts.of(type);
        }
      };

  private Records() {}

  private record Parts(Class<?>[] types, Method[] accessors, Constructor<?> constructor) {
    static Parts of(Class<?> type) {
      RecordComponent[] components = type.getRecordComponents();
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      Method[] accessors =
          Arrays.stream(components).map(RecordComponent::getAccessor).toArray(Method[]::new);
      try {
        return new Parts(types, accessors, type.getDeclaredConstructor(types));
      } catch (NoSuchMethodException impossible) {
        throw new LinkageError("a record without its constructor", impossible);
      }
    }

    int only(Object value) {
      int found = -1;
      for (int i = 0; i < types.length; i++) {
        if (types[i] == value.getClass()) {
          if (found >= 0) {
            throw new IllegalArgumentException("several components are a " + types[i]);
          }
          found = i;
        }
      }
      if (found < 0) {
        throw new IllegalArgumentException("no component is a " + value.getClass());
      }
      return found;
    }
  }

  /**
   * Returns a copy in which components have other values.
   *
   * @param values each for the only component of its type
   */
  @SuppressWarnings("unchecked")
  public static <R extends Record> R with(R record, Object... values) {
    Parts parts = PARTS.get(record.getClass());
    Object[] components = new Object[parts.accessors().length];
    try {
      for (int i = 0; i < components.length; i++) {
        components[i] = parts.accessors()[i].invoke(record);
      }
      for (Object value : values) {
        components[parts.only(value)] = value;
      }
      return (R) parts.constructor().newInstance(components);
    } catch (ReflectiveOperationException failed) {
      throw new LinkageError("a record cannot be copied", failed);
    }
  }
}
