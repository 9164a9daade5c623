package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.MemObject;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Objects that their owner retired, in a runtime that does not listen: they keep their memory, and
 * are written back like others, until the slow device is nearly full and a collection finds them.
 */
final class Garbage {
  private static final double TRIGGER = 0.8;

  private final TierMoves moves;
  private final Set<MemObject> dead = new LinkedHashSet<>();

  Garbage(TierMoves moves) {
    this.moves = moves;
  }

  boolean add(MemObject object) throws InterruptedException {
    if (object.retired() || !dead.add(object)) {
      return false;
    }
    collectIfFull();
    return true;
  }

  boolean contains(MemObject object) {
    return dead.contains(object);
  }

  private void collectIfFull() throws InterruptedException {
    DeviceUse use = moves.memory.use(moves.slow);
    if (use.occupiedBytes() >= TRIGGER * use.budgetBytes()) {
      collect();
    }
  }

  /** Frees all; says whether there was anything. */
  boolean collect() throws InterruptedException {
    boolean any = !dead.isEmpty();
    for (MemObject object : dead) {
      moves.memory.retire(object);
    }
    dead.clear();
    return any;
  }
}
