package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.FastBlock;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Room;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A model of the fast device's blocks on which a policy tries its actions before it returns them.
 * This is needed because actions depend on each other: where a kernel's second argument finds space
 * depends on where the first one went. It takes the smallest free block that is large enough, as
 * the device does. If the real device differs, an action finds no space, which is reported.
 */
public final class FastLayout {
  private final MemoryView view;
  private final DeviceUse device;
  private final List<FastBlock> blocks;

  /** Objects that the tried actions evict. */
  private final Set<MemObject> evicted = new HashSet<>();

  private final Set<MemObject> added = new HashSet<>();
  private long occupiedBytes;

  /** Creates a model of the fast device as it is now. */
  public FastLayout(MemoryView view) {
    this.view = view;
    device = view.fast();
    blocks = new ArrayList<>(view.fastBlocks());
    occupiedBytes = device.occupiedBytes();
  }

  private FastLayout(FastLayout other) {
    view = other.view;
    device = other.device;
    blocks = new ArrayList<>(other.blocks);
    evicted.addAll(other.evicted);
    added.addAll(other.added);
    occupiedBytes = other.occupiedBytes;
  }

  /** Returns an independent copy on which to try further actions. */
  public FastLayout copy() {
    return new FastLayout(this);
  }

  /** Returns the most bytes that may be occupied. */
  public long budgetBytes() {
    return device.budgetBytes();
  }

  /** Returns the bytes that are occupied after the tried actions. */
  public long occupiedBytes() {
    return occupiedBytes;
  }

  long largestFreeBytes() {
    return blocks.stream().filter(FastBlock::free).mapToLong(FastBlock::bytes).max().orElse(0);
  }

  boolean holds(MemObject object) {
    return added.contains(object) || (view.inFast(object) && !evicted.contains(object));
  }

  /** Returns whether some free block is large enough for an object. */
  public boolean fits(long bytes) {
    long aligned = device.spec().alignedBytes(bytes);
    return aligned <= largestFreeBytes() && aligned <= budgetBytes() - occupiedBytes;
  }

  /**
   * Returns the span of blocks that costs least to empty for an object of some bytes; null if there
   * is none.
   *
   * @param open whether a block is free, or of an object that may leave
   */
  public @Nullable VictimWindow cheapest(
      long bytes, Predicate<FastBlock> open, ToDoubleFunction<MemObject> cost) {
    long aligned = device.spec().alignedBytes(bytes);
    VictimWindow.Need need =
        new VictimWindow.Need(aligned, occupiedBytes + aligned - budgetBytes());
    return VictimWindow.cheapest(blocks, need, open, cost);
  }

  /** Returns the objects that lie in a span. */
  public List<MemObject> objects(VictimWindow window) {
    return objects(block -> block.offset() >= window.start() && block.offset() < window.end());
  }

  /** Returns the objects of the blocks that meet a condition, by their offsets. */
  public List<MemObject> objects(Predicate<FastBlock> wanted) {
    List<MemObject> objects = new ArrayList<>();
    for (FastBlock block : blocks) {
      MemObject object = block.object();
      if (object != null && wanted.test(block)) {
        objects.add(object);
      }
    }
    return objects;
  }

  /** Frees the block of an object, as an eviction would. */
  public void evict(MemObject object) {
    evicted.add(object);
    for (int i = 0; i < blocks.size(); i++) {
      if (object.equals(blocks.get(i).object())) {
        free(i);
        return;
      }
    }
  }

  private void free(int index) {
    FastBlock block = blocks.get(index);
    occupiedBytes -= block.bytes();
    blocks.set(index, new FastBlock(block.chunk(), block.offset(), block.bytes(), null, true));
    join(index);
    join(index - 1);
  }

  /** Joins a block and the one after it, if both are free. */
  private void join(int index) {
    if (index < 0 || index + 1 >= blocks.size()) {
      return;
    }
    FastBlock first = blocks.get(index);
    FastBlock second = blocks.get(index + 1);
    if (first.free() && second.free() && first.chunk() == second.chunk()) {
      blocks.set(
          index,
          new FastBlock(first.chunk(), first.offset(), first.bytes() + second.bytes(), null, true));
      blocks.remove(index + 1);
    }
  }

  /**
   * Adds an object at one end of a free block; it cannot be evicted or moved afterwards. Does
   * nothing if no free block is large enough.
   */
  public void add(MemObject object, Room.End end) {
    long bytes = device.spec().alignedBytes(object.bytes());
    int found = -1;
    for (int i = 0; i < blocks.size(); i++) {
      FastBlock block = blocks.get(i);
      if (block.free()
          && block.bytes() >= bytes
          && (found < 0 || block.bytes() < blocks.get(found).bytes())) {
        found = i;
      }
    }
    if (found < 0 || bytes > budgetBytes() - occupiedBytes) {
      return;
    }
    FastBlock block = blocks.get(found);
    long rest = block.bytes() - bytes;
    boolean low = end == Room.End.LOW;
    long at = low ? block.offset() : block.offset() + rest;
    long restAt = low ? block.offset() + bytes : block.offset();
    blocks.set(found, new FastBlock(block.chunk(), at, bytes, object, false));
    if (rest > 0) {
      blocks.add(low ? found + 1 : found, new FastBlock(block.chunk(), restAt, rest, null, true));
    }
    occupiedBytes += bytes;
    added.add(object);
  }

  /**
   * Moves objects to lower offsets, as defragmentation would, except those that must stay.
   *
   * @param movable objects that may move although they may not leave
   */
  void compact(Collection<MemObject> movable) {
    long at = 0;
    List<FastBlock> packed = new ArrayList<>();
    for (FastBlock block : blocks) {
      MemObject object = block.object();
      if (block.free()) {
        continue;
      }
      boolean moves = object != null && (block.open() || movable.contains(object));
      long offset = moves ? at : block.offset();
      if (offset > at) {
        packed.add(new FastBlock(block.chunk(), at, offset - at, null, true));
      }
      packed.add(new FastBlock(block.chunk(), offset, block.bytes(), object, block.open()));
      at = offset + block.bytes();
    }
    long capacity = device.spec().capacityBytes();
    if (at < capacity) {
      packed.add(new FastBlock(0, at, capacity - at, null, true));
    }
    blocks.clear();
    blocks.addAll(packed);
  }
}
