package io.idlalayer.datacontroller.store;

import java.util.Arrays;

/**
 * Keeps slots of the sample index in the order of a {@link Ranking} while samples change, so that
 * the first slots are found without visiting the others. Each group is a treap whose priorities are
 * hashes of the ids: the shape of a treap depends only on its content. Adding, removing and
 * counting take O(log n) steps. Each sample takes 8 bytes, or 12 bytes if positions are counted.
 * Confined to one thread.
 */
public final class SlotOrder {
  private static final int ABSENT = SampleIndex.ABSENT;
  private static final int NODE_BYTES = 2 * Integer.BYTES;

  /** Gives the group and the key of each sample, by which an order sorts samples. */
  public interface Ranking {
    /**
     * Returns the group of the sample in a slot, at least 0, or -1 if the order leaves the sample
     * out. Groups are few.
     */
    int group(int slot);

    /**
     * Returns the key by which a sample is sorted within its group: small keys first, equal keys by
     * smaller id.
     */
    long key(int slot);
  }

  private final SampleIndex index;
  private final Ranking ranking;
  private final boolean counted;
  private int[][] left = {};
  private int[][] right = {};
  private int[][] counts = {};
  private int known;
  private int[] roots = {};
  private int[] sizes = {};
  private int low;
  private int high;
  private long visited;

  SlotOrder(SampleIndex index, Ranking ranking, boolean counted) {
    this.index = index;
    this.ranking = ranking;
    this.counted = counted;
  }

  /** Returns the heap bytes that an order takes for each sample for which the index has room. */
  static int bytesPerSlot(boolean counted) {
    return counted ? NODE_BYTES + Integer.BYTES : NODE_BYTES;
  }

  int bytesPerSlot() {
    return bytesPerSlot(counted);
  }

  /** Returns a key that sorts numbers in ascending order, for {@link Ranking#key}; NaN is last. */
  public static long ascending(float value) {
    int bits = Float.floatToIntBits(value);
    // For numbers below 0, the order of the bits is the reverse of the order of the numbers.
    return bits ^ ((bits >> 31) & Integer.MAX_VALUE);
  }

  /** Returns a key that sorts numbers in descending order; NaN is last. */
  public static long descending(float value) {
    return Float.isNaN(value) ? Long.MAX_VALUE : -ascending(value);
  }

  /** Allocates memory for the number of pages of the index. */
  void ensure(int pages) {
    if (pages > left.length) {
      int length = Math.max(pages, 2 * left.length);
      left = Arrays.copyOf(left, length);
      right = Arrays.copyOf(right, length);
      counts = Arrays.copyOf(counts, counted ? length : 0);
    }
    for (; known < pages; known++) {
      left[known] = new int[SlotFields.PAGE];
      right[known] = new int[SlotFields.PAGE];
      if (counted) {
        counts[known] = new int[SlotFields.PAGE];
      }
    }
  }

  int group(int slot) {
    return ranking.group(slot);
  }

  long key(int slot) {
    return ranking.key(slot);
  }

  void add(int slot) {
    int group = ranking.group(slot);
    if (group < 0) {
      return;
    }
    groups(group + 1);
    roots[group] = insert(roots[group], slot, ranking.key(slot), index.id(slot));
    sizes[group]++;
  }

  private void groups(int atLeast) {
    if (atLeast > roots.length) {
      int before = roots.length;
      roots = Arrays.copyOf(roots, atLeast);
      Arrays.fill(roots, before, atLeast, ABSENT);
      sizes = Arrays.copyOf(sizes, atLeast);
    }
  }

  /** Builds the order anew from all slots. */
  void build(int[] slotsById) {
    roots = new int[0];
    sizes = new int[0];
    addAll(slotsById);
  }

  /**
   * Adds slots that the order does not have. Adding m slots to n takes O(m log m + m log(n / m))
   * steps, which is much faster than adding them one by one.
   *
   * @param slotsById ascending by id
   */
  void addAll(int[] slotsById) {
    for (int slot : slotsById) {
      groups(ranking.group(slot) + 1);
    }
    int[] counts = new int[roots.length];
    for (int slot : slotsById) {
      int group = ranking.group(slot);
      if (group >= 0) {
        counts[group]++;
      }
    }
    int[][] members = new int[counts.length][];
    for (int group = 0; group < members.length; group++) {
      members[group] = new int[counts[group]];
    }
    int[] filled = new int[members.length];
    for (int slot : slotsById) {
      int group = ranking.group(slot);
      if (group >= 0) {
        members[group][filled[group]++] = slot;
      }
    }
    for (int group = 0; group < members.length; group++) {
      roots[group] = union(roots[group], tree(sorted(members[group])));
      sizes[group] += members[group].length;
    }
  }

  /** Returns slots sorted by key; slots with equal keys keep their relative order. */
  private int[] sorted(int[] slots) {
    long[] keys = new long[slots.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = ranking.key(slots[i]);
    }
    int[] from = slots;
    int[] to = new int[slots.length];
    long[] toKeys = new long[slots.length];
    for (long run = 1; run < slots.length; run *= 2) {
      for (long start = 0; start < slots.length; start += 2 * run) {
        int middle = (int) Math.min(start + run, slots.length);
        int end = (int) Math.min(start + 2 * run, slots.length);
        int first = (int) start;
        int second = middle;
        for (int i = first; i < end; i++) {
          boolean takeFirst = second == end || (first < middle && keys[first] <= keys[second]);
          int taken = takeFirst ? first++ : second++;
          to[i] = from[taken];
          toKeys[i] = keys[taken];
        }
      }
      int[] heldSlots = from;
      from = to;
      to = heldSlots;
      long[] heldKeys = keys;
      keys = toKeys;
      toKeys = heldKeys;
    }
    return from;
  }

  private int tree(int[] sorted) {
    int[] path = new int[64];
    int depth = 0;
    for (int slot : sorted) {
      int below = ABSENT;
      while (depth > 0 && heavier(slot, path[depth - 1])) {
        below = path[--depth];
        recount(below);
      }
      left(slot, below);
      right(slot, ABSENT);
      if (depth > 0) {
        right(path[depth - 1], slot);
      }
      path = depth == path.length ? Arrays.copyOf(path, 2 * depth) : path;
      path[depth++] = slot;
    }
    int root = ABSENT;
    while (depth > 0) {
      root = path[--depth];
      recount(root);
    }
    return root;
  }

  /** Removes a slot, given the group and the key that its sample had before it changed. */
  void remove(int slot, int group, long key) {
    if (group >= 0) {
      roots[group] = delete(roots[group], slot, key, index.id(slot));
      sizes[group]--;
    }
  }

  /** Returns the number of samples in a group. */
  public int size(int group) {
    return group < sizes.length ? sizes[group] : 0;
  }

  /** Returns the number of groups: one more than the highest group that ever had a sample. */
  public int groups() {
    return roots.length;
  }

  /** Returns how many samples this order has visited since the start. */
  public long visited() {
    return visited;
  }

  /**
   * Returns the slot at a position in a group.
   *
   * @param place from 0, below {@link #size}
   */
  public int at(int group, int place) {
    if (!counted) {
      throw new IllegalStateException("this order was created without counted positions");
    }
    int node = roots[group];
    int before = place;
    while (true) {
      visited++;
      int smaller = count(left(node));
      if (before < smaller) {
        node = left(node);
      } else if (before == smaller) {
        return node;
      } else {
        before -= smaller + 1;
        node = right(node);
      }
    }
  }

  /**
   * Returns an iterator over a group from its first sample, which is invalid as soon as a sample
   * changes.
   */
  public Walk walk(int group) {
    return new Walk(group < roots.length ? roots[group] : ABSENT);
  }

  /** Iterates over the slots of a group, first to last. */
  public final class Walk {
    private int[] path = new int[64];
    private int depth;

    private Walk(int root) {
      descend(root);
    }

    private void descend(int from) {
      for (int node = from; node != ABSENT; node = left(node)) {
        visited++;
        path = depth == path.length ? Arrays.copyOf(path, 2 * depth) : path;
        path[depth++] = node;
      }
    }

    /** Returns the next slot without advancing, or {@link SampleIndex#ABSENT} at the end. */
    public int peek() {
      return depth == 0 ? ABSENT : path[depth - 1];
    }

    /** Returns the next slot and advances, or {@link SampleIndex#ABSENT} at the end. */
    public int next() {
      int slot = peek();
      if (slot != ABSENT) {
        depth--;
        descend(right(slot));
      }
      return slot;
    }
  }

  private int left(int slot) {
    return left[slot >>> SlotFields.SHIFT][slot & SlotFields.MASK];
  }

  private void left(int slot, int child) {
    left[slot >>> SlotFields.SHIFT][slot & SlotFields.MASK] = child;
  }

  private int right(int slot) {
    return right[slot >>> SlotFields.SHIFT][slot & SlotFields.MASK];
  }

  private void right(int slot, int child) {
    right[slot >>> SlotFields.SHIFT][slot & SlotFields.MASK] = child;
  }

  private int count(int slot) {
    return slot == ABSENT ? 0 : counts[slot >>> SlotFields.SHIFT][slot & SlotFields.MASK];
  }

  private void recount(int slot) {
    if (counted) {
      counts[slot >>> SlotFields.SHIFT][slot & SlotFields.MASK] =
          1 + count(left(slot)) + count(right(slot));
    }
  }

  private boolean heavier(int slot, int other) {
    int mine = priority(index.id(slot));
    int theirs = priority(index.id(other));
    return mine != theirs ? mine > theirs : index.id(slot) > index.id(other);
  }

  private static int priority(long id) {
    long mixed = (id ^ (id >>> 30)) * 0xBF58476D1CE4E5B9L;
    return (int) (((mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL) >>> 32);
  }

  /** Returns whether a node comes before a key, with the id as tie-breaker. */
  private boolean before(int node, long key, long id) {
    visited++;
    long its = ranking.key(node);
    return its != key ? its < key : index.id(node) < id;
  }

  private int insert(int node, int slot, long key, long id) {
    if (node == ABSENT) {
      left(slot, ABSENT);
      right(slot, ABSENT);
      recount(slot);
      return slot;
    }
    if (heavier(slot, node)) {
      split(node, key, id);
      left(slot, low);
      right(slot, high);
      recount(slot);
      return slot;
    }
    if (before(node, key, id)) {
      right(node, insert(right(node), slot, key, id));
    } else {
      left(node, insert(left(node), slot, key, id));
    }
    recount(node);
    return node;
  }

  /** Merges two trees that have no node in common, and returns the root of the result. */
  private int union(int one, int other) {
    if (one == ABSENT || other == ABSENT) {
      return one == ABSENT ? other : one;
    }
    boolean first = heavier(one, other);
    int root = first ? one : other;
    split(first ? other : one, ranking.key(root), index.id(root));
    int after = high;
    left(root, union(left(root), low));
    right(root, union(right(root), after));
    recount(root);
    return root;
  }

  /**
   * Splits a tree into the nodes before a key, which become {@code low}, and the others, which
   * become {@code high}.
   */
  private void split(int node, long key, long id) {
    if (node == ABSENT) {
      low = ABSENT;
      high = ABSENT;
    } else if (before(node, key, id)) {
      split(right(node), key, id);
      right(node, low);
      recount(node);
      low = node;
    } else {
      split(left(node), key, id);
      left(node, high);
      recount(node);
      high = node;
    }
  }

  private int delete(int node, int slot, long key, long id) {
    if (node == ABSENT) {
      throw new IllegalStateException("sample " + id + " is not at its position in the order");
    }
    if (node == slot) {
      return merge(left(node), right(node));
    }
    if (before(node, key, id)) {
      right(node, delete(right(node), slot, key, id));
    } else {
      left(node, delete(left(node), slot, key, id));
    }
    recount(node);
    return node;
  }

  private int merge(int first, int second) {
    if (first == ABSENT || second == ABSENT) {
      return first == ABSENT ? second : first;
    }
    visited++;
    if (heavier(first, second)) {
      right(first, merge(right(first), second));
      recount(first);
      return first;
    }
    left(second, merge(first, left(second)));
    recount(second);
    return second;
  }
}
