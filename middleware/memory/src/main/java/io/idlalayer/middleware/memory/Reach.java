package io.idlalayer.middleware.memory;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which objects a value leads to: through arrays, collections, maps, optionals, records,
 * {@linkplain TieredArray arrays} and {@linkplain Holder holders}, each of them once, so that
 * cycles end. Private fields of other classes are not looked into; such a class is a {@link Holder}
 * or leads nowhere.
 *
 * <p>Source: the listing {@code cleanup} of CachedArrays (Hildebrand 2022, chapter 4).
 */
public final class Reach {
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> open = new ArrayDeque<>();
  private final Set<MemObject> objects = new LinkedHashSet<>();

  private Reach() {}

  /**
   * The objects that a value leads to.
   *
   * @throws IllegalArgumentException if a record's components may not be read from here
   */
  public static Set<MemObject> of(@Nullable Object value) {
    Reach reach = new Reach();
    reach.add(value);
    while (!reach.open.isEmpty()) {
      reach.expand(reach.open.remove());
    }
    return reach.objects;
  }

  /**
   * Retires what values lead to, except what others lead to as well.
   *
   * @return objects retired
   * @throws PinnedException if an object is pinned; the others are retired
   */
  public static int cleanup(
      @Nullable Object values, @Nullable Object keep, TieredMemory.Retirement retirement)
      throws InterruptedException {
    Set<MemObject> kept = of(keep);
    Failures failures = new Failures();
    int retired = 0;
    for (MemObject object : of(values)) {
      if (!kept.contains(object)) {
        try {
          retired += retirement.retire(object) ? 1 : 0;
        } catch (TieredMemoryException e) {
          failures.add(e);
        }
      }
    }
    failures.rethrow();
    return retired;
  }

  private void add(@Nullable Object value) {
    if (value != null && seen.add(value)) {
      open.add(value);
    }
  }

  private void expand(Object value) {
    if (value instanceof MemObject object) {
      objects.add(object);
    } else if (value instanceof TieredArray array) {
      add(array.object());
    } else if (value instanceof Holder holder) {
      holder.held().forEach(this::add);
    } else if (value instanceof Object[] array) {
      for (Object each : array) {
        add(each);
      }
    } else if (value instanceof Collection<?> collection) {
      collection.forEach(this::add);
    } else if (value instanceof Map<?, ?> map) {
      map.keySet().forEach(this::add);
      map.values().forEach(this::add);
    } else if (value instanceof Optional<?> optional) {
      optional.ifPresent(this::add);
    } else if (value instanceof Record) {
      components(value);
    }
  }

  private void components(Object value) {
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      if (!component.getType().isPrimitive()) {
        add(component(value, component));
      }
    }
  }

  private static @Nullable Object component(Object value, RecordComponent component) {
    Method accessor = component.getAccessor();
    // Only records beside this code are opened; those of other modules as far as they are public.
    if (accessor.getDeclaringClass().getModule() == Reach.class.getModule()) {
      accessor.trySetAccessible();
    }
    try {
      return accessor.invoke(value);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalArgumentException(
          "component %s of record %s cannot be read; make it public or a Holder"
              .formatted(component.getName(), value.getClass().getName()),
          e);
    }
  }
}
