package io.idlalayer.middleware.cache;

import io.idlalayer.middleware.primitive.BitMixer;
import java.util.Arrays;

/**
 * The metadata of a segment's resident blocks: arrays by slot number and a hash table of the slots
 * (linear probing, at most two thirds full). Written under the segment's lock. A thread that reads
 * while another thread writes possibly finds a wrong slot or no slot, but it never reads outside
 * the arrays and never loops forever. The arrays of one object never grow; a larger table is a new
 * object.
 */
final class BlockTable {
  static final int NONE = -1;

  private final long[] ids;
  private final int[] spaces;
  private final int[] addresses;
  private final int[] lengths;
  private final short[] owners;
  private final int[] table;
  private int size;
  private int used;
  private int free = NONE;

  BlockTable(int slots) {
    ids = new long[slots];
    spaces = new int[slots];
    addresses = new int[slots];
    lengths = new int[slots];
    owners = new short[slots];
    table = new int[Integer.highestOneBit(Math.max(2, slots * 3 / 2 - 1)) << 1];
    Arrays.fill(table, NONE);
  }

  /** Returns a larger table with the same blocks in the same slots. */
  BlockTable grown() {
    BlockTable larger = new BlockTable(ids.length + Math.max(16, ids.length >> 1));
    System.arraycopy(ids, 0, larger.ids, 0, used);
    System.arraycopy(spaces, 0, larger.spaces, 0, used);
    System.arraycopy(addresses, 0, larger.addresses, 0, used);
    System.arraycopy(lengths, 0, larger.lengths, 0, used);
    System.arraycopy(owners, 0, larger.owners, 0, used);
    for (int slot = 0; slot < used; slot++) {
      if (lengths[slot] != NONE) {
        larger.table[larger.cell(hash(slot), slot)] = slot;
      }
    }
    larger.size = size;
    larger.used = used;
    larger.free = free;
    return larger;
  }

  /** Returns a hash of a key; each bit of the hash depends on all bits of the key. */
  static long hash(int space, long id) {
    return BitMixer.murmur(id + space * BitMixer.GOLDEN_RATIO);
  }

  int capacity() {
    return ids.length;
  }

  int size() {
    return size;
  }

  boolean full() {
    return free == NONE && used == ids.length;
  }

  /** Returns the slot of the block with a key, or {@link #NONE}. */
  int find(BlockKey key) {
    return find(key.space(), key.id(), key.hash());
  }

  int find(int space, long id, long hash) {
    int mask = table.length - 1;
    int at = (int) hash & mask;
    for (int probes = 0; probes <= mask; probes++) {
      int slot = table[at];
      if (slot == NONE || (ids[slot] == id && spaces[slot] == space)) {
        return slot;
      }
      at = (at + 1) & mask;
    }
    return NONE;
  }

  /** Returns the slot of a block whose key has a hash, or {@link #NONE}. */
  int find(long hash) {
    int mask = table.length - 1;
    for (int at = (int) hash & mask; table[at] != NONE; at = (at + 1) & mask) {
      if (hash(table[at]) == hash) {
        return table[at];
      }
    }
    return NONE;
  }

  /**
   * Returns the cell of the hash table that holds a slot, or the free cell in which the slot must
   * be inserted.
   */
  private int cell(long hash, int slot) {
    int mask = table.length - 1;
    int at = (int) hash & mask;
    while (table[at] != NONE && table[at] != slot) {
      at = (at + 1) & mask;
    }
    return at;
  }

  /**
   * Adds a block whose key is absent, and returns its slot; must not be called while the table is
   * {@link #full}.
   */
  int add(BlockKey key, int owner) {
    int slot = free;
    if (slot == NONE) {
      slot = used++;
    } else {
      free = addresses[slot];
    }
    ids[slot] = key.id();
    spaces[slot] = key.space();
    owners[slot] = (short) owner;
    addresses[slot] = NONE;
    lengths[slot] = 0;
    table[cell(key.hash(), NONE)] = slot;
    size++;
    return slot;
  }

  void remove(int slot) {
    int mask = table.length - 1;
    int hole = cell(hash(slot), slot);
    for (int next = (hole + 1) & mask; table[next] != NONE; next = (next + 1) & mask) {
      int firstCell = (int) hash(table[next]) & mask;
      if (((next - firstCell) & mask) >= ((next - hole) & mask)) {
        table[hole] = table[next];
        hole = next;
      }
    }
    table[hole] = NONE;
    lengths[slot] = NONE;
    addresses[slot] = free;
    free = slot;
    size--;
  }

  void place(int slot, int address, int length) {
    addresses[slot] = address;
    lengths[slot] = length;
  }

  boolean occupied(int slot) {
    return slot < used && lengths[slot] != NONE;
  }

  long hash(int slot) {
    return hash(spaces[slot], ids[slot]);
  }

  int space(int slot) {
    return spaces[slot];
  }

  int address(int slot) {
    return addresses[slot];
  }

  int length(int slot) {
    return lengths[slot];
  }

  int owner(int slot) {
    return owners[slot];
  }

  void owner(int slot, int owner) {
    owners[slot] = (short) owner;
  }

  /** Returns the highest slot number ever used, plus one. */
  int used() {
    return used;
  }

  long bytes() {
    return 22L * ids.length + 4L * table.length;
  }
}
