package io.idlalayer.middleware.sample.path;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places in an event where its declared fields can be. A field is found under its whole name.
 * If the name is a path and the event has no field with the whole name, the field is found at the
 * end of the path. Immutable.
 */
public final class PathTree {
  private final List<String> names;
  private final List<@Nullable FieldPath> paths = new ArrayList<>();
  private final List<List<Node>> ways = new ArrayList<>();
  private final Node root;
  private int nodes;

  /**
   * @param names the declared names, each once
   */
  public PathTree(List<String> names) {
    this.names = List.copyOf(names);
    root = new Node(nodes++);
    for (int slot = 0; slot < names.size(); slot++) {
      root.of(new FieldPath.Step.Name(names.get(slot)), this).literal = slot;
      FieldPath path = FieldPath.of(names.get(slot));
      paths.add(path);
      List<Node> way = new ArrayList<>();
      if (path != null) {
        Node node = root;
        for (FieldPath.Step step : path.steps()) {
          node = node.of(step, this);
          way.add(node);
        }
        node.slots.add(slot);
      }
      ways.add(way);
    }
  }

  /** A place in an event. */
  public static final class Node {
    /** Number of this place, from 0. */
    final int number;

    private final Map<String, Node> named = new HashMap<>();
    private final Map<Integer, Node> placed = new HashMap<>();
    private final List<Integer> slots = new ArrayList<>(1);
    private int literal = -1;

    private Node(int number) {
      this.number = number;
    }

    private Node of(FieldPath.Step step, PathTree tree) {
      return step instanceof FieldPath.Step.Position position
          ? placed.computeIfAbsent(position.index(), key -> new Node(tree.nodes++))
          : named.computeIfAbsent(
              ((FieldPath.Step.Name) step).name(), key -> new Node(tree.nodes++));
    }

    /**
     * Returns the place of a field of the object at this place; null if no declared field is there.
     */
    public @Nullable Node field(String name) {
      return named.get(name);
    }

    /**
     * Returns the place of an element of the array at this place; null if no declared field is
     * there.
     */
    public @Nullable Node element(int index) {
      return placed.isEmpty() ? null : placed.get(index);
    }

    /** Returns the places of the declared fields of the object at this place, by their names. */
    public Map<String, Node> fields() {
      return Collections.unmodifiableMap(named);
    }

    /** Returns whether declared fields can be inside the object or array at this place. */
    public boolean inner() {
      return !named.isEmpty() || !placed.isEmpty();
    }

    /**
     * Returns the number of the field whose whole name is the name of this place; -1 if there is
     * none.
     */
    public int literal() {
      return literal;
    }

    /** Returns the numbers of the fields whose paths end at this place. */
    public List<Integer> slots() {
      return slots;
    }

    /** Returns whether the value at this place is the value of a declared field. */
    public boolean valued() {
      return literal >= 0 || !slots.isEmpty();
    }
  }

  /** Returns whether the name of a field is a path. */
  public boolean anyPath() {
    return paths.stream().anyMatch(path -> path != null);
  }

  /** Returns the place of a whole event. */
  public Node root() {
    return root;
  }

  /** Returns the declared names, whose indexes are the numbers of the fields. */
  public List<String> names() {
    return names;
  }

  /** Returns the path of a field, null if it has a plain name. */
  @Nullable FieldPath path(int slot) {
    return paths.get(slot);
  }

  /**
   * Returns the places on the path of a field, including its end; empty if the field has no path.
   */
  List<Node> way(int slot) {
    return ways.get(slot);
  }

  /** Returns the number of places. */
  int size() {
    return nodes;
  }
}
