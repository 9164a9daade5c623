package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A loaded model with the number of those who use it. The subscriber counts as one while the
 * version is current or kept as the one before; when the number falls to 0 the model is freed, and
 * never used again.
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

  /** It goes into service; once more if it had left and comes back. */
  LeasedModel<M> servingSince(long atMillis) {
    servingSinceMillis = atMillis;
    return this;
  }

  /** When it went into service, epoch milliseconds. */
  long servingSinceMillis() {
    return servingSinceMillis;
  }

  M model() {
    return model;
  }

  /** One more user; false if the last one has left, so that the model is gone. */
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

  /** One user fewer. The last one frees the model. */
  void release() {
    if (uses.decrementAndGet() == 0) {
      free.accept(this);
    }
  }

  int uses() {
    return uses.get();
  }
}
