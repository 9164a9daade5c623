package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a serving process on the newest model: follows the pointer, verifies each new version,
 * loads it beside the old version and swaps one reference. A version that is damaged or fails to
 * load is refused, and the old version continues to serve. If no version serves yet, the subscriber
 * goes back along the parents of a damaged version and serves the first parent that loads, until a
 * newer version can be taken.
 *
 * <pre>{@code
 * var models = new ModelStore(Path.of("idla-work/electricity/models"), InstantSource.system());
 * var subscriber = new ModelSubscriber<>(
 *     new ModelSubscriber.Subscription(models, "electricity", 0, Duration.ofMillis(200)),
 *     new Dl4jModelLoader(), InstantSource.system());
 * subscriber.start(null, System.err::println);
 * ...
 * try (ModelLease<Dl4jModel> lease = subscriber.acquire()) {
 *   float[][] answer = lease.model().predict(samples);
 * }
 * }</pre>
 *
 * <p>A lease keeps its model loaded until the lease is closed, also if the model is swapped or
 * rolled back meanwhile. {@link #acquire} is safe from any thread, takes no lock and never waits.
 * The model before the current one stays loaded, so it can serve at once after a {@link #rollback},
 * or if a pin or an alias goes back to it. Each older model is freed when its last lease is closed.
 * A lease that is never closed keeps its model in memory: {@link #status} gives the number and the
 * age of such models, and while there are {@value #MOST_RETIRED} no new version is loaded.
 *
 * <p>The thread that follows the store survives everything that the store, the loader, the notice
 * source or the listener throws, including an {@link Error}: a native allocation that fails throws
 * an {@link OutOfMemoryError}, although the model in service can continue. The failure is recorded
 * in {@link #status} and logged, and the subscriber tries again after pauses that double up to 30
 * s. Use {@code -XX:+ExitOnOutOfMemoryError} for a process that should end when memory is short.
 *
 * @param <M> the model as the serving process uses it; shared by all threads that hold leases
 */
public final class ModelSubscriber<M> implements AutoCloseable {
  /**
   * Number of models out of service that open leases can keep in memory; once it is reached, no
   * version is loaded.
   */
  public static final int MOST_RETIRED = 8;

  private static final Logger LOG = LoggerFactory.getLogger(ModelSubscriber.class);

  private final Subscription subscription;
  private final InstantSource clock;
  private final VersionLookup lookup;
  private final ServingModels<M> models;
  private final VersionTaker<M> taker;
  private final Follower follower;

  /**
   * Lock that a thread holds while it looks at the store and loads the version that it finds. Both
   * can take long.
   *
   * <p>The rules of all locks of a subscriber:
   *
   * <ul>
   *   <li>{@code looking}: one thread at a time looks and loads. Only {@link #refresh} takes it.
   *   <li>{@code swapping} of {@link ServingModels} guards changes of the model in service, and the
   *       memory of rollbacks, refusals and swaps. It is held for moments: while a thread holds it,
   *       the thread reads, loads and frees nothing, and takes no other lock. A thread that holds
   *       {@code looking} may take {@code swapping}.
   *   <li>The monitor of {@link RetiredModels} guards the list of models out of service. The
   *       monitor of {@link Follower} guards the start and end of its threads. A thread that holds
   *       one of these monitors takes no other lock.
   *   <li>{@link #acquire} takes no lock. {@link #status} takes only the monitor of {@link
   *       RetiredModels}. Closing the last lease of a model takes this monitor too, and also {@code
   *       swapping} if the model cannot be freed.
   *   <li>{@link #rollback} and {@link #close} do not take {@code looking}, so they do not wait for
   *       a version that is being loaded. If the subscriber is closed meanwhile, that version is
   *       freed as soon as it is loaded.
   * </ul>
   */
  private final ReentrantLock looking = new ReentrantLock();

  /** Whether the log already has a warning that the model is stale; guarded by {@link #looking}. */
  private boolean staleTold;

  /**
   * The settings of a subscriber: which application's models it follows, and how.
   *
   * @param poll time between looks at the pointer, above 0; a notice causes a further look
   * @param staleness limit from which the model in service is too stale; null for no limit
   * @param alias the name whose version serves, see {@link ModelStore#alias}; null for the version
   *     that the pointer or the pin names
   */
  public record Subscription(
      ModelReader models,
      String application,
      int partition,
      Duration poll,
      @Nullable StalenessLimit staleness,
      @Nullable String alias) {
    public Subscription {
      if (alias != null) {
        Alias.checked(alias);
      }
      if (poll.isNegative() || poll.isZero()) {
        throw new IllegalArgumentException("poll must be above 0, not " + poll);
      }
    }

    /** Creates a subscription that follows the pointer; its model serves however stale it is. */
    public Subscription(ModelReader models, String application, int partition, Duration poll) {
      this(models, application, partition, poll, null, null);
    }

    /** Returns a copy of this subscription with a limit on staleness. */
    public Subscription with(StalenessLimit limit) {
      return new Subscription(models, application, partition, poll, limit, alias);
    }

    /**
     * Returns a copy of this subscription that follows an alias. The version that has the alias
     * serves, even if it is an older version, and no matter which versions are published or pinned.
     * While no version has the alias, the version in service continues to serve.
     *
     * @throws IllegalArgumentException if the text cannot be an alias
     */
    public Subscription with(String alias) {
      return new Subscription(models, application, partition, poll, staleness, alias);
    }
  }

  /**
   * The limit beyond which the model in service counts as too stale, and what happens beyond it. A
   * model is not stale only because it is old. It becomes stale while the subscriber cannot tell
   * whether its version is still the version to serve: the store cannot be reached, or the
   * subscriber refuses the version to be served.
   *
   * @param most longest time since the version was last known to be the one to serve, above 0
   */
  public record StalenessLimit(Duration most, WhenStale then) {
    public StalenessLimit {
      if (most.isNegative() || most.isZero()) {
        throw new IllegalArgumentException("most must be above 0, not " + most);
      }
    }
  }

  /** What a subscriber does while its model is stale beyond the limit. */
  public enum WhenStale {
    /** The subscriber logs a warning once, and the model continues to serve. */
    WARN,
    /** The subscriber gives no lease until it knows again which version to serve. */
    REFUSE
  }

  /**
   * The version that a subscriber serves, its health and its counters.
   *
   * @param version version in service, 0 for none
   * @param publishedAtMillis when that version was made, epoch milliseconds; 0 for none
   * @param servingSinceMillis when it went into service in this process, epoch milliseconds; 0 for
   *     none
   * @param swaps how often another version went into service so far, by {@link #rollback} too
   * @param loads versions that were loaded so far
   * @param loadMillis total time of these loads, with fetching and verifying, milliseconds
   * @param refused attempts to take a version that were refused so far
   * @param lastError reason of the last refusal, "" after a later check succeeded
   * @param noticesError why no notices arrive; "" if they arrive, or if no source is configured
   * @param noticesFailed how often a source of notices failed so far
   * @param openLeases leases not closed yet
   * @param retired models that are out of service and still in memory for their leases
   * @param longestRetiredMillis time since the oldest of these models went out of service; 0 for
   *     none. If this is much longer than a request takes, a lease was not closed
   * @param stalenessMillis since the version in service was last known to be the one to serve; 0
   *     without a version
   * @param stale whether the staleness is beyond the limit; false without a limit
   */
  public record Status(
      long version,
      long publishedAtMillis,
      long servingSinceMillis,
      long swaps,
      long loads,
      long loadMillis,
      long refused,
      String lastError,
      String noticesError,
      long noticesFailed,
      long openLeases,
      int retired,
      long longestRetiredMillis,
      long stalenessMillis,
      boolean stale) {}

  public ModelSubscriber(Subscription subscription, ModelLoader<M> loader, InstantSource clock) {
    this(subscription, loader, clock, System::nanoTime);
  }

  /**
   * Creates a subscriber with the given clocks. The subscriber does not look at the store before
   * {@link #refresh} or {@link #start}.
   *
   * @param clock tells when versions went into service
   * @param nanoTime nanoseconds that never go back, as {@link System#nanoTime}
   */
  public ModelSubscriber(
      Subscription subscription,
      ModelLoader<M> loader,
      InstantSource clock,
      LongSupplier nanoTime) {
    this.subscription = subscription;
    this.clock = clock;
    lookup = new VersionLookup(subscription);
    models = new ServingModels<>(subscription, loader, clock, nanoTime);
    taker = new VersionTaker<>(subscription, loader, lookup, models, clock, nanoTime);
    follower = new Follower(subscription, this::refresh, models::refuse);
  }

  /** Returns the subscription with which this subscriber was created. */
  public Subscription subscription() {
    return subscription;
  }

  /**
   * Leases the model in service, which then stays loaded until the lease is closed.
   *
   * @throws IllegalStateException if no model is in service yet, if it is too stale, or if the
   *     subscriber is closed
   */
  public ModelLease<M> acquire() {
    return tryAcquire().orElseThrow(() -> new IllegalStateException(whyNone()));
  }

  private String whyNone() {
    if (models.closed()) {
      return "the subscriber is closed";
    }
    ModelCheckpoint serving = models.current();
    String what =
        serving == null
            ? "no model in service yet"
            : String.format(
                Locale.ROOT,
                "not been able to tell for %d ms whether version %d is still the one to serve",
                models.stalenessMillis(),
                serving.version());
    return String.format(
        Locale.ROOT,
        "%s/%d has %s%s",
        subscription.application(),
        subscription.partition(),
        what,
        lastError().isEmpty() ? "" : ": " + lastError());
  }

  /**
   * Leases the model in service; empty before the first version, while the model is too stale, and
   * after {@link #close}.
   */
  public Optional<ModelLease<M>> tryAcquire() {
    return models.tryAcquire();
  }

  /** Returns the version in service, empty before the first version. */
  public Optional<ModelCheckpoint> current() {
    return Optional.ofNullable(models.current());
  }

  /** Returns the version that served before the current one, if its model is still loaded. */
  public Optional<ModelCheckpoint> previous() {
    return Optional.ofNullable(models.previous());
  }

  /**
   * Returns the reason why the last attempt to take a version was refused, "" after a later
   * success.
   */
  public String lastError() {
    return models.lastRefusal();
  }

  public Status status() {
    return models.status(follower.noticesError(), follower.noticesFailed());
  }

  /**
   * Returns the milliseconds since the model in service was made; empty before the first version.
   */
  public Optional<Long> ageMillis() {
    return current().map(checkpoint -> clock.millis() - checkpoint.manifest().createdAtMillis());
  }

  /**
   * Reads the pointer or the alias once. If it names a new version, puts this version into service.
   * Goes back to an older version only if the older version is pinned, or has the alias.
   *
   * @return whether another version went into service
   * @throws IOException if the version to be served is refused; the old version continues to serve.
   *     If none served, an ancestor of the refused version might serve now, see {@link #current};
   *     the ancestor is stale since its successor was published. Also thrown if the pointer names
   *     an older version while the version in service is no longer in the store
   */
  public boolean refresh() throws IOException {
    looking.lock();
    try {
      return refreshLocked();
    } finally {
      looking.unlock();
    }
  }

  private boolean refreshLocked() throws IOException {
    try {
      Optional<ModelReader.Serving> found = lookup.look();
      if (found.isPresent()) {
        lookup.refuseOtherHistory(found.get(), models.current());
      }
      boolean taken = found.isPresent() && models.wants(found.get());
      if (taken) {
        models.refuseIfFull(found.get().checkpoint());
        taker.take(found.get());
      } else if (found.isPresent() || models.current() == null) {
        models.forgetRefusal();
      }
      if (found.isPresent()) {
        models.confirm();
        staleTold = false;
      } else {
        // A store that had versions cannot be empty: perhaps the folder is not mounted.
        tellStale();
      }
      return taken;
    } catch (Throwable refused) {
      models.refuse(Failures.text(refused));
      tellStale();
      throw refused;
    }
  }

  private void tellStale() {
    if (models.tooStale() && !staleTold) {
      staleTold = true;
      LOG.warn("{}", whyNone());
    }
  }

  /**
   * Serves the previous model again, until a version appears that is newer than the present one. If
   * the present version is pinned or has the followed alias, the previous model serves until the
   * pin or the alias moves to another version. Requests that already use the present model are
   * completed with that model. Does not wait for a version that is being loaded; if the version is
   * newer, it serves once it is loaded.
   *
   * @return whether there was a previous model
   */
  public boolean rollback() {
    return models.rollBack();
  }

  /**
   * Starts to follow the store on a thread of its own, until {@link #close()}.
   *
   * @param notices opens a source of notices, on a second thread, again after each failure; null to
   *     look at the pointer only, every {@link Subscription#poll}
   * @param onRefusal is told each new reason once, on the following thread
   * @throws IllegalStateException if it was started or closed before
   */
  public void start(NoticeSource.@Nullable Opener notices, Consumer<String> onRefusal) {
    follower.start(notices, onRefusal);
  }

  /**
   * Stops following the store and takes the current and the previous model out of service. Each is
   * freed when its last lease is closed. Waits for the threads, 10 s at most: a version that takes
   * longer to load is freed when it is loaded.
   */
  @Override
  public void close() {
    models.close();
    follower.close();
    models.retireAll();
  }
}
