package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A lease of a model, which stays loaded until {@link #close}, whatever is published or rolled back
 * meanwhile. Hold a lease for one request. A lease may be handed from thread to thread. Close each
 * lease; closing it again does nothing.
 *
 * @param <M> the model as the serving process uses it
 */
public final class ModelLease<M> implements AutoCloseable {
  private final LeasedModel<M> leased;
  private final AtomicBoolean closed = new AtomicBoolean();

  ModelLease(LeasedModel<M> leased) {
    this.leased = leased;
  }

  /**
   * Returns the leased model. It must not be used after {@link #close}.
   *
   * @throws IllegalStateException if the lease is closed
   */
  public M model() {
    if (closed.get()) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT, "the lease of version %d is closed; acquire another", version()));
    }
    return leased.model();
  }

  /** Returns the version of the leased model, with its manifest. */
  public ModelCheckpoint checkpoint() {
    return leased.checkpoint();
  }

  public long version() {
    return leased.version();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      leased.release();
    }
  }
}
