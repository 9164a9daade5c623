package io.idlalayer.middleware.memory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Retires, when it is closed, the objects that its thread made since it was opened, except those
 * that {@linkplain #escape escaped}: they become the enclosing scope's. Scopes of a thread close in
 * the reverse order of their opening.
 */
public final class AllocationScope implements AutoCloseable {
  private final TieredMemory memory;
  private final TieredMemory.Retirement retirement;
  final @Nullable AllocationScope outer;
  private final List<MemObject> made = new ArrayList<>();
  private final Set<MemObject> escaped = new HashSet<>();
  private boolean open = true;

  AllocationScope(
      TieredMemory memory, @Nullable AllocationScope outer, TieredMemory.Retirement retirement) {
    this.memory = memory;
    this.retirement = retirement;
    this.outer = outer;
  }

  void made(MemObject object) {
    made.add(object);
    object.scoped(true);
  }

  /** Keeps an object beyond this scope. */
  public MemObject escape(MemObject object) {
    escaped.add(object);
    return object;
  }

  /**
   * Keeps all objects that a value leads to; see {@link Reach}.
   *
   * @return the value
   */
  public <T> T escapeAll(T value) {
    escaped.addAll(Reach.of(value));
    return value;
  }

  /**
   * @throws IllegalStateException if an inner scope is still open, or on another thread
   * @throws PinnedException if an object is pinned; the others are retired
   * @throws InterruptedException while waiting for a move; what is left is retired by nobody
   */
  @Override
  public void close() throws InterruptedException {
    if (!open) {
      return;
    }
    memory.closing(this);
    open = false;
    Failures failures = new Failures();
    made.forEach(object -> object.scoped(false));
    for (MemObject object : made) {
      if (escaped.contains(object)) {
        if (outer != null) {
          outer.made(object);
        }
        continue;
      }
      try {
        retirement.retire(object);
      } catch (TieredMemoryException e) {
        failures.add(e);
      }
    }
    failures.rethrow();
  }
}
