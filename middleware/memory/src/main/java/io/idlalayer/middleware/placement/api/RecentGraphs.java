package io.idlalayer.middleware.placement.api;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the graphs that steps were announced with last: the training and the tests of a
 * few networks and batch sizes. Of more than {@value #MOST} graphs, those that were asked for least
 * recently are forgotten. One thread at a time.
 *
 * @param <V> what is known of a graph
 */
public final class RecentGraphs<V> {
  /** Most graphs of which something is known. */
  public static final int MOST = 32;

  private final Map<TaskGraph, V> known = new Recent<>();
  private @Nullable TaskGraph last;
  private @Nullable V ofLast;

  private static final class Recent<V> extends LinkedHashMap<TaskGraph, V> {
    private static final long serialVersionUID = 1L;

    Recent() {
      super(MOST, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<TaskGraph, V> eldest) {
      return size() > MOST;
    }
  }

  /** Returns what is known of a graph; null if it is a new one, or was forgotten. */
  public @Nullable V get(TaskGraph graph) {
    // Most steps are of the graph before, and the hash of a graph visits all of its kernels.
    return graph.equals(last) ? ofLast : known.get(graph);
  }

  /** Returns what is known of a graph, which a function makes of a new one. */
  public V get(TaskGraph graph, Function<TaskGraph, V> make) {
    V value = graph.equals(last) ? ofLast : null;
    if (value == null) {
      value = known.computeIfAbsent(graph, make);
      last = graph;
      ofLast = value;
    }
    return value;
  }

  /** Returns what is known of all graphs, that of the last one at the end. */
  public Collection<V> values() {
    return known.values();
  }
}
