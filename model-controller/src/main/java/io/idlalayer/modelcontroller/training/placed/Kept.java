package io.idlalayer.modelcontroller.training.placed;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What layers keep in their fields from the forward to the backward pass: everything else that a
 * kernel made and did not return is dead when it ends. Not thread-safe.
 *
 * <p>Source: {@code noescape} of CachedArrays (Hildebrand 2022, chapter 4), which keeps what its
 * function and arguments reach.
 */
final class Kept {
  private final Tensors tensors;
  private final Map<Class<?>, List<Field>> fields = new HashMap<>();

  Kept(Tensors tensors) {
    this.tensors = tensors;
  }

  /** Arrays in the fields of some objects, to be compared with {@link #capture}. */
  Map<Field, INDArray> arrays(List<Object> owners) {
    Map<Field, INDArray> found = new HashMap<>();
    for (Object owner : owners) {
      for (Field field : fields(owner.getClass())) {
        if (value(field, owner) instanceof INDArray array) {
          found.put(field, array);
        }
      }
    }
    return found;
  }

  /** Copies arrays that a kernel has put into fields, but not into tensors, into tensors. */
  void capture(List<Object> owners, Map<Field, INDArray> before) {
    IdentityHashMap<INDArray, INDArray> copies = new IdentityHashMap<>();
    for (Object owner : owners) {
      for (Field field : fields(owner.getClass())) {
        Object value = value(field, owner);
        if (value instanceof INDArray array && value != before.get(field) && outside(array)) {
          INDArray copy =
              copies.computeIfAbsent(array, from -> tensors.createLike(from).assign(from));
          set(field, owner, copy);
        }
      }
    }
  }

  private boolean outside(INDArray array) {
    return !array.isEmpty()
        && !array.isView()
        && NativeArrays.supports(array.dataType())
        && tensors.of(array) == null;
  }

  /** Tensors of steps that the fields of some objects reach. */
  Set<Tensor> reachable(List<Object> owners) {
    Set<Tensor> found = new LinkedHashSet<>();
    for (Object owner : owners) {
      for (Field field : fields(owner.getClass())) {
        collect(value(field, owner), found);
      }
    }
    return found;
  }

  private void collect(@Nullable Object value, Set<Tensor> found) {
    if (value instanceof INDArray array) {
      Tensor tensor = tensors.of(array);
      if (tensor != null && tensor.ofStep()) {
        found.add(tensor);
      }
    } else if (value instanceof Map<?, ?> map) {
      map.values().forEach(each -> collect(each, found));
    } else if (value instanceof Collection<?> all) {
      all.forEach(each -> collect(each, found));
    } else if (value instanceof INDArray[] array) {
      for (INDArray each : array) {
        collect(each, found);
      }
    }
  }

  private List<Field> fields(Class<?> type) {
    return fields.computeIfAbsent(type, Kept::find);
  }

  private static List<Field> find(Class<?> type) {
    List<Field> found = new ArrayList<>();
    for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
      for (Field field : at.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && holdsArrays(field.getType())) {
          field.setAccessible(true);
          found.add(field);
        }
      }
    }
    return List.copyOf(found);
  }

  private static boolean holdsArrays(Class<?> type) {
    return INDArray.class.isAssignableFrom(type)
        || type == INDArray[].class
        || Map.class.isAssignableFrom(type)
        || Collection.class.isAssignableFrom(type);
  }

  private static @Nullable Object value(Field field, Object owner) {
    try {
      return field.get(owner);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(field + " cannot be read", e);
    }
  }

  private static void set(Field field, Object owner, INDArray array) {
    try {
      field.set(owner, array);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(field + " cannot be set", e);
    }
  }
}
