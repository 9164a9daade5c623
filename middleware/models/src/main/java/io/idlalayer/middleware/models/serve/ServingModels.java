package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelSubscriber.StalenessLimit;
import io.idlalayer.middleware.models.serve.ModelSubscriber.Status;
import io.idlalayer.middleware.models.serve.ModelSubscriber.WhenStale;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The models that a subscriber holds, and their state: the model in service, the model before it,
 * and the models that are out of service and still leased. Safe from any thread; {@link
 * ModelSubscriber} states the rules of the locks.
 *
 * @param <M> the model as the serving process uses it
 */
final class ServingModels<M> {
  private static final Logger LOG = LoggerFactory.getLogger(ServingModels.class);

  private final ModelLoader<M> loader;
  private final @Nullable StalenessLimit limit;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Object swapping = new Object();
  private final RollbackMemory rollbacks;
  private final RetiredModels<M> retired;
  private volatile @Nullable LeasedModel<M> current;
  private volatile @Nullable LeasedModel<M> previous;
  private volatile Refusals refusals = new Refusals(0, "");
  private volatile Swaps swaps = new Swaps(0, 0, 0);
  private volatile boolean closed;

  /**
   * Time, by {@link #nanoTime}, at which the store last confirmed the model in service as the one
   * to serve.
   */
  private volatile long confirmedNanos;

  /** The model that a loader reads, under a lease, while it loads another model. */
  private volatile @Nullable LeasedModel<M> loadingFrom;

  private record Refusals(long count, String last) {}

  private record Swaps(long count, long loads, long loadMillis) {}

  /**
   * @param loader frees the models
   */
  ServingModels(
      ModelSubscriber.Subscription subscription,
      ModelLoader<M> loader,
      InstantSource clock,
      LongSupplier nanoTime) {
    this.loader = loader;
    this.clock = clock;
    this.nanoTime = nanoTime;
    limit = subscription.staleness();
    rollbacks = new RollbackMemory(subscription.alias() != null);
    retired = new RetiredModels<>(nanoTime);
  }

  /** Leases the serving model if there is one, see {@link ModelSubscriber#tryAcquire}. */
  Optional<ModelLease<M>> tryAcquire() {
    if (limit != null && limit.then() == WhenStale.REFUSE && tooStale()) {
      return Optional.empty();
    }
    LeasedModel<M> serving = current;
    while (serving != null) {
      if (serving.retain()) {
        return Optional.of(new ModelLease<>(serving));
      }
      // The model was swapped twice since it was read, so there is another one now.
      serving = current;
    }
    return Optional.empty();
  }

  /** Returns the version in service; null before the first. */
  @Nullable ModelCheckpoint current() {
    LeasedModel<M> serving = current;
    return serving == null ? null : serving.checkpoint();
  }

  /**
   * Returns the version that served before the current one, if its model is kept; otherwise null.
   */
  @Nullable ModelCheckpoint previous() {
    LeasedModel<M> before = previous;
    return before == null ? null : before.checkpoint();
  }

  /** Records that the store has just confirmed the model in service as the one to serve. */
  void confirm() {
    confirmedNanos = nanoTime.getAsLong();
  }

  /**
   * Returns the milliseconds since the store last confirmed the model in service as the one to
   * serve; 0 if none serves.
   */
  long stalenessMillis() {
    return current == null
        ? 0
        : TimeUnit.NANOSECONDS.toMillis(Math.max(0, nanoTime.getAsLong() - confirmedNanos));
  }

  /** Returns whether the model in service is stale beyond the limit. */
  boolean tooStale() {
    return limit != null && stalenessMillis() > limit.most().toMillis();
  }

  /** Records the reason for which an attempt to take a version was refused. */
  void refuse(String reason) {
    synchronized (swapping) {
      refusals = new Refusals(refusals.count() + 1, reason);
    }
  }

  /** Forgets the reason of the last refusal, because a later look at the store went well. */
  void forgetRefusal() {
    forgetRefusal("");
  }

  private void forgetRefusal(String instead) {
    synchronized (swapping) {
      refusals = new Refusals(refusals.count(), instead);
    }
  }

  /**
   * Returns the reason why the last attempt to take a version was refused, "" after a later
   * success.
   */
  String lastRefusal() {
    return refusals.last();
  }

  boolean closed() {
    return closed;
  }

  /** Returns the serving version and its health, without the state of notices. */
  Status status(String noticesError, long noticesFailed) {
    LeasedModel<M> serving = current;
    LeasedModel<M> before = previous;
    Swaps swapped = swaps;
    RetiredModels.Use out = retired.use(this::leases);
    return new Status(
        serving == null ? 0 : serving.version(),
        serving == null ? 0 : serving.checkpoint().manifest().createdAtMillis(),
        serving == null ? 0 : serving.servingSinceMillis(),
        swapped.count(),
        swapped.loads(),
        swapped.loadMillis(),
        refusals.count(),
        refusals.last(),
        noticesError,
        noticesFailed,
        out.leases() + leasesOfHeld(serving) + leasesOfHeld(before),
        out.models(),
        out.longestMillis(),
        stalenessMillis(),
        tooStale());
  }

  /**
   * Returns the number of leases of a model that the subscriber holds: its users, without the
   * subscriber itself.
   */
  private int leasesOfHeld(@Nullable LeasedModel<M> held) {
    return held == null ? 0 : Math.max(0, leases(held) - 1);
  }

  /** Returns the number of users of a model; a loader that reads the model does not count. */
  private int leases(LeasedModel<M> leased) {
    return Math.max(0, leased.uses() - (leased == loadingFrom ? 1 : 0));
  }

  /** Remembers the version that a pin or the alias names now. */
  void note(ModelReader.Serving found) {
    synchronized (swapping) {
      rollbacks.note(found);
    }
  }

  /**
   * Returns whether the subscriber should take a version that the store names, as {@link
   * RollbackMemory} decides.
   */
  boolean wants(ModelReader.Serving found) {
    synchronized (swapping) {
      return !closed && rollbacks.wants(found, current());
    }
  }

  /**
   * Throws if a version would have to be loaded while too many retired models are still leased.
   *
   * @throws IOException in that case; the message says what to do
   */
  void refuseIfFull(ModelCheckpoint wanted) throws IOException {
    if (stillLoaded(wanted) == null) {
      retired.refuseIfFull(wanted);
    }
  }

  /**
   * Puts a version into service if its model is still loaded: a pin often goes back by one version.
   *
   * @param confirmed when the version was last known to be the one to serve, by {@link #nanoTime}
   * @return false if the version has to be loaded
   */
  boolean serveAgain(ModelCheckpoint checkpoint, long confirmed) {
    synchronized (swapping) {
      LeasedModel<M> serving = current;
      if (serving != null && serving.checkpoint().digest().equals(checkpoint.digest())) {
        // A rollback has put this version into service meanwhile.
        return true;
      }
      LeasedModel<M> again = stillLoaded(checkpoint);
      if (again == null) {
        return false;
      }
      serve(again, confirmed);
      swaps = new Swaps(swaps.count() + 1, swaps.loads(), swaps.loadMillis());
      return true;
    }
  }

  /** Returns the model that served before, if it has this version; otherwise null. */
  private @Nullable LeasedModel<M> stillLoaded(ModelCheckpoint checkpoint) {
    LeasedModel<M> before = previous;
    boolean same = before != null && before.checkpoint().digest().equals(checkpoint.digest());
    return same ? before : null;
  }

  /**
   * Leases the model in service to a loader. A rollback or the end of the subscriber can take the
   * model out of service while the loader reads it.
   *
   * @return null if there is none
   */
  @Nullable LeasedModel<M> leaseToLoader() {
    LeasedModel<M> serving = current;
    LeasedModel<M> leased = serving != null && serving.retain() ? serving : null;
    loadingFrom = leased;
    return leased;
  }

  /**
   * Takes the lease back from a loader that has ended; the counterpart of {@link #leaseToLoader}.
   */
  void takeFromLoader(@Nullable LeasedModel<M> leased) {
    loadingFrom = null;
    if (leased != null) {
      leased.release();
    }
  }

  /**
   * Puts a model that was just loaded into service; frees it if the subscriber was closed
   * meanwhile.
   *
   * @param confirmed when the version was last known to be the one to serve, by {@link #nanoTime}
   * @param loadMillis time that fetching, verifying and loading took, milliseconds
   */
  void serveLoaded(ModelCheckpoint checkpoint, M model, long confirmed, long loadMillis) {
    LeasedModel<M> taken = new LeasedModel<>(checkpoint, model, this::dispose);
    LeasedModel<M> leaving;
    synchronized (swapping) {
      if (closed) {
        leaving = taken;
      } else {
        leaving = previous;
        serve(taken, confirmed);
        swaps = new Swaps(swaps.count() + 1, swaps.loads() + 1, swaps.loadMillis() + loadMillis);
      }
    }
    retire(leaving);
  }

  /**
   * Puts a model into service; the model that serves now becomes the previous one. The caller holds
   * {@link #swapping}.
   */
  private void serve(LeasedModel<M> next, long confirmed) {
    previous = current;
    // Set before the model serves. Otherwise the model would count as stale for a moment, and the
    // reason for which another version was refused would seem to be about this version.
    confirmedNanos = confirmed;
    forgetRefusal("");
    current = next.servingSince(clock.millis());
  }

  /** Puts the previous model back into service, see {@link ModelSubscriber#rollback}. */
  boolean rollBack() {
    LeasedModel<M> left;
    synchronized (swapping) {
      LeasedModel<M> back = previous;
      left = current;
      if (back == null || left == null) {
        return false;
      }
      rollbacks.rollBackFrom(left.checkpoint());
      current = back.servingSince(clock.millis());
      previous = null;
      swaps = new Swaps(swaps.count() + 1, swaps.loads(), swaps.loadMillis());
      forgetRefusal("rolled back from " + left.version());
    }
    retire(left);
    return true;
  }

  /**
   * Takes a model out of service, and gives up the subscriber's own use of it. It stays in memory
   * until its last lease is closed.
   */
  private void retire(@Nullable LeasedModel<M> leaving) {
    if (leaving != null) {
      retired.add(leaving);
      leaving.release();
    }
  }

  private void dispose(LeasedModel<M> freed) {
    try {
      loader.dispose(freed.model());
    } catch (Throwable failed) {
      // The request that happened to use the model last must not fail.
      refuse(
          String.format(
              Locale.ROOT, "version %d is not freed: %s", freed.version(), Failures.text(failed)));
      LOG.warn("{}", refusals.last(), failed);
    }
    retired.forgetFreed();
  }

  /** Closes the subscriber's models: from now on no model goes into service. */
  void close() {
    synchronized (swapping) {
      closed = true;
    }
  }

  /** Takes the serving and the previous model out of service, after {@link #close}. */
  void retireAll() {
    LeasedModel<M> serving;
    LeasedModel<M> before;
    synchronized (swapping) {
      serving = current;
      before = previous;
      current = null;
      previous = null;
    }
    retire(before);
    retire(serving);
  }
}
