package io.idlalayer.middleware.placement.api;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cache of what is known of the graphs that steps were announced with most recently. These are
 * the training steps and the test steps of a few networks and batch sizes. It holds at most {@value
 * #MOST} graphs, and forgets those that were asked for least recently. One thread at a time.
 *
 * @param <V> what is known of a graph
 */
public final class RecentGraphs<V> {
  /** Most graphs of which something is known. */
  public static final int MOST = 32;

  /** What is known of graphs, that of the one that was asked for last at the end. */
  private final List<Known<V>> known = new ArrayList<>();

  private record Known<V>(TaskGraph graph, V value) {}

  /** Returns what is known of a graph; null if it is a new one, or was forgotten. */
  public @Nullable V get(TaskGraph graph) {
    int index = index(graph);
    return index < 0 ? null : known.get(index).value();
  }

  /** Returns what is known of a graph; for a new graph, the result of a function. */
  public V get(TaskGraph graph, Function<TaskGraph, V> make) {
    int index = index(graph);
    if (index < 0) {
      Known<V> made = new Known<>(graph, make.apply(graph));
      if (known.size() == MOST) {
        known.remove(0);
      }
      known.add(made);
      return made.value();
    }
    Known<V> found = known.get(index);
    if (index < known.size() - 1) {
      known.add(known.remove(index));
    }
    return found.value();
  }

  /**
   * Returns the index of a graph; -1 if there is none. A graph that is announced again is usually
   * the same object: comparing or hashing two graphs visits all of their kernels.
   */
  @SuppressWarnings("ReferenceEquality")
  private int index(TaskGraph graph) {
    for (int i = known.size() - 1; i >= 0; i--) {
      if (known.get(i).graph() == graph) {
        return i;
      }
    }
    for (int i = known.size() - 1; i >= 0; i--) {
      if (known.get(i).graph().equals(graph)) {
        return i;
      }
    }
    return -1;
  }

  /** Returns what is known of each graph; the graph that was used last comes last. */
  public Collection<V> values() {
    return known.stream().map(Known::value).toList();
  }
}
