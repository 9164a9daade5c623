package io.idlalayer.testkit;

import java.lang.reflect.RecordComponent;

/** Copies of records. */
public final class Records {
  private Records() {}

  /**
   * Returns a copy in which components have other values.
   *
   * @param values each for the only component of its type
   */
  public static <R extends Record> R with(R record, Object... values) {
    RecordComponent[] components = record.getClass().getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] parts = new Object[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        parts[i] = components[i].getAccessor().invoke(record);
      }
      for (Object value : values) {
        parts[only(types, value)] = value;
      }
      return type(record).getDeclaredConstructor(types).newInstance(parts);
    } catch (ReflectiveOperationException failed) {
      throw new LinkageError("a record cannot be copied", failed);
    }
  }

  @SuppressWarnings("unchecked")
  private static <R extends Record> Class<R> type(R record) {
    return (Class<R>) record.getClass();
  }

  private static int only(Class<?>[] types, Object value) {
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
