package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A loaded model and the number of its users. The subscriber counts as one user as long as the
 * version is the current or the previous one. When the number falls to 0, the model is freed and
 * never used again. Safe from any thread; takes no lock.
 */
final class LeasedModel<M> {
  private final ModelCheckpoint checkpoint;
  private final M model;
  private final Consumer<LeasedModel<M>> free;
  private final AtomicInteger uses = new AtomicInteger(1);
  private volatile long servingSinceMillis;

  LeasedModel(ModelCheckpoint checkpoint, M model, Consumer<LeasedModel<M>> free) {
    this.checkpoint = checkpoint;
    this.model = model;
    this.free = free;
  }

  ModelCheckpoint checkpoint() {
    return checkpoint;
  }

  long version() {
    return checkpoint.manifest().version();
  }

  /** Records that the model goes into service, for the first time or again. */
  LeasedModel<M> servingSince(long atMillis) {
    servingSinceMillis = atMillis;
    return this;
  }

  /** Returns the time at which the model went into service, in epoch milliseconds. */
  long servingSinceMillis() {
    return servingSinceMillis;
  }

  M model() {
    return model;
  }

  /** Adds a user; returns false if the model was freed because its last user has left. */
  boolean retain() {
    int now = uses.get();
    while (now > 0) {
      if (uses.compareAndSet(now, now + 1)) {
        return true;
      }
      now = uses.get();
    }
    return false;
  }

  /** Removes a user of the model; the last one frees the model. */
  void release() {
    if (uses.decrementAndGet() == 0) {
      free.accept(this);
    }
  }

  int uses() {
    return uses.get();
  }
}
