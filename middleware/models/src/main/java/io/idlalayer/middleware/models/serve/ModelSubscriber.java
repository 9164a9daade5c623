package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.UnknownAliasException;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a serving process on the newest model: follows the pointer, verifies each new version,
 * loads it beside the old one and swaps one reference. A version that is damaged or fails to load
 * is refused and the old one serves on. Where none serves yet, the version that a damaged one was
 * trained from does, or one before that, until one can be taken.
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
 * <p>A lease keeps its model loaded however long the request takes, and whatever is swapped or
 * rolled back meanwhile. {@link #acquire} is safe from any thread, takes no lock and never waits.
 * The model before the current one is kept, for {@link #rollback} and for a pin or a name that goes
 * back to it, which then serves without being loaded; each other one is freed when its last lease
 * is closed. A lease that is never closed keeps its model in memory: {@link #status} counts such
 * models and their age, and with {@value #MOST_RETIRED} of them no new version is taken until one
 * is given back.
 *
 * <p>Nothing that is thrown ends the thread that follows: not by the store, the loader, the notice
 * source or the listener, and no {@link Error} either, since a native allocation that fails is an
 * {@link OutOfMemoryError} and the model in service can go on. It is recorded in {@link #status},
 * logged, and tried again with pauses that double up to 30 s. A process that should end when memory
 * is short has {@code -XX:+ExitOnOutOfMemoryError}.
 *
 * @param <M> the model as the serving process uses it; used by as many threads as hold leases
 */
public final class ModelSubscriber<M> implements AutoCloseable {
  /** So many models that are out of service may be in memory because leases are still open. */
  public static final int MOST_RETIRED = 8;

  private static final Logger LOG = LoggerFactory.getLogger(ModelSubscriber.class);
  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(30).toNanos();
  private static final int LOOKS = 5;

  /** So many versions before a damaged one are tried where none serves yet. */
  private static final int MOST_ANCESTORS = 64;

  private static final long CLOSE_MILLIS = 10_000;

  private final Subscription subscription;
  private final ModelLoader<M> loader;
  private final InstantSource clock;
  private final LongSupplier nanoTime;

  /** One look at a time, with the loading of what it finds, which may take long. */
  private final ReentrantLock looking = new ReentrantLock();

  /**
   * Guards changes of what serves, and of what is remembered of rollbacks, refusals and swaps.
   * Nothing is read or loaded meanwhile.
   */
  private final Object swapping = new Object();

  /** Holds at most one thing to look for, however many notices come. */
  private final BlockingQueue<Boolean> news = new ArrayBlockingQueue<>(1);

  /** Out of service and perhaps still leased, oldest first; guarded by itself. */
  private final ArrayDeque<Retired<M>> retired = new ArrayDeque<>();

  private volatile @Nullable LeasedModel<M> current;
  private volatile @Nullable LeasedModel<M> previous;
  private volatile Refusals refusals = new Refusals(0, "");
  private volatile Swaps swaps = new Swaps(0, 0, 0);
  private volatile boolean closed;
  private volatile @Nullable NoticeListener listener;
  private volatile List<Thread> threads = List.of();
  private volatile long confirmedNanos;
  private long rolledBackFrom;

  /** Digest of the version that a pin or the alias named at the last look; "" for none. */
  private String named = "";

  /** The same of what this process went back from; "" for none. */
  private String rolledBackNamed = "";

  /** Whose model is read to load another one, and leased for that. */
  private volatile @Nullable LeasedModel<M> loadingFrom;

  /** Guarded by {@link #looking}. */
  private boolean staleTold;

  /**
   * What to follow.
   *
   * @param poll how often the pointer is looked at, above 0; notices come in addition
   * @param staleness when the model in service is too stale; null for never
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

    /** However stale the model is, it serves. */
    public Subscription(ModelReader models, String application, int partition, Duration poll) {
      this(models, application, partition, poll, null, null);
    }

    /** The same with a limit. */
    public Subscription with(StalenessLimit limit) {
      return new Subscription(models, application, partition, poll, limit, alias);
    }

    /**
     * The same, but follows a name: whatever is published or pinned, the version that has the name
     * serves, an older one too. While no version has it, the subscriber keeps the one it serves.
     *
     * @throws IllegalArgumentException if it can be no name
     */
    public Subscription with(String alias) {
      return new Subscription(models, application, partition, poll, staleness, alias);
    }
  }

  /**
   * When a model is too stale. Stale is not old: a model that nothing has replaced is as fresh as
   * on its first day. It grows stale while the subscriber cannot tell, because the store cannot be
   * reached, or because the version that is to be served is refused.
   *
   * @param most longest time since it was last known to be the one to serve, above 0
   */
  public record StalenessLimit(Duration most, WhenStale then) {
    public StalenessLimit {
      if (most.isNegative() || most.isZero()) {
        throw new IllegalArgumentException("most must be above 0, not " + most);
      }
    }
  }

  /** What happens when the limit is passed. */
  public enum WhenStale {
    /** It is logged once, and the model serves on. */
    WARN,
    /** No lease is given until the subscriber knows again what to serve. */
    REFUSE
  }

  /**
   * How the subscriber fares.
   *
   * @param version version in service, 0 for none
   * @param publishedAtMillis when it was made, epoch milliseconds; 0 for none
   * @param servingSinceMillis since when it serves here, epoch milliseconds; 0 for none
   * @param swaps how often another version went into service so far, by {@link #rollback} too
   * @param loads versions that were loaded so far
   * @param loadMillis how long these took in all, with fetching and verifying
   * @param refused attempts that were refused so far
   * @param lastError why the last one was, "" since a later look went well: a version was taken, or
   *     there was none to take
   * @param noticesError why there are no notices, "" if there are, or if none are asked for
   * @param noticesFailed how often a source of notices failed so far
   * @param openLeases leases not closed yet
   * @param retired models that are out of service and still in memory for their leases
   * @param longestRetiredMillis for how long the oldest of them is out of service; 0 for none. Much
   *     longer than a request takes means that somebody does not close a lease
   * @param stalenessMillis since the version in service was last known to be the one to serve; 0
   *     without a version
   * @param stale whether that is beyond the limit, if there is one
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

  private record Refusals(long count, String last) {}

  private record Swaps(long count, long loads, long loadMillis) {}

  private record Retired<M>(LeasedModel<M> leased, long sinceNanos) {}

  public ModelSubscriber(Subscription subscription, ModelLoader<M> loader, InstantSource clock) {
    this(subscription, loader, clock, System::nanoTime);
  }

  /**
   * The same with another clock for durations, staleness among them.
   *
   * @param clock tells when versions went into service
   * @param nanoTime never goes back, as {@link System#nanoTime}
   */
  public ModelSubscriber(
      Subscription subscription,
      ModelLoader<M> loader,
      InstantSource clock,
      LongSupplier nanoTime) {
    this.subscription = subscription;
    this.loader = loader;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** What is followed. */
  public Subscription subscription() {
    return subscription;
  }

  /**
   * Leases the model in service.
   *
   * @throws IllegalStateException if there is none yet, it is too stale, or the subscriber is
   *     closed
   */
  public ModelLease<M> acquire() {
    return tryAcquire().orElseThrow(() -> new IllegalStateException(whyNone()));
  }

  private String whyNone() {
    if (closed) {
      return "the subscriber is closed";
    }
    String what =
        current == null
            ? "no model in service yet"
            : "not been able to tell for %d ms whether version %d is still the one to serve"
                .formatted(stalenessMillis(), status().version());
    return "%s/%d has %s%s"
        .formatted(
            subscription.application(),
            subscription.partition(),
            what,
            lastError().isEmpty() ? "" : ": " + lastError());
  }

  /** Since the model in service was last known to be the one to serve; 0 without one. */
  private long stalenessMillis() {
    return current == null ? 0 : millisSince(confirmedNanos);
  }

  private long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(Math.max(0, nanoTime.getAsLong() - nanos));
  }

  private boolean tooStale() {
    StalenessLimit limit = subscription.staleness();
    return limit != null && stalenessMillis() > limit.most().toMillis();
  }

  private boolean refusesStale() {
    StalenessLimit limit = subscription.staleness();
    return limit != null && limit.then() == WhenStale.REFUSE && tooStale();
  }

  /**
   * Leases the model in service; empty before the first, while it is too stale, and after {@link
   * #close}.
   */
  public Optional<ModelLease<M>> tryAcquire() {
    if (refusesStale()) {
      return Optional.empty();
    }
    LeasedModel<M> serving = current;
    while (serving != null) {
      if (serving.retain()) {
        return Optional.of(new ModelLease<>(serving));
      }
      // Swapped twice since it was read; the next one is there.
      serving = current;
    }
    return Optional.empty();
  }

  /** The version in service, empty before the first. */
  public Optional<ModelCheckpoint> current() {
    return Optional.ofNullable(current).map(LeasedModel::checkpoint);
  }

  /** The version that served before, if it is kept. */
  public Optional<ModelCheckpoint> previous() {
    return Optional.ofNullable(previous).map(LeasedModel::checkpoint);
  }

  /** Why the last attempt was refused, "" since a later look went well. */
  public String lastError() {
    return refusals.last();
  }

  public Status status() {
    LeasedModel<M> serving = current;
    LeasedModel<M> before = previous;
    NoticeListener notices = listener;
    Swaps swapped = swaps;
    long leases = (serving == null ? 0 : leases(serving)) + (before == null ? 0 : leases(before));
    int out = 0;
    long longest = 0;
    synchronized (retired) {
      for (Retired<M> each : retired) {
        int uses = uses(each.leased());
        leases += uses;
        if (uses > 0) {
          out++;
          longest = Math.max(longest, millisSince(each.sinceNanos()));
        }
      }
    }
    return new Status(
        serving == null ? 0 : serving.version(),
        serving == null ? 0 : serving.checkpoint().manifest().createdAtMillis(),
        serving == null ? 0 : serving.servingSinceMillis(),
        swapped.count(),
        swapped.loads(),
        swapped.loadMillis(),
        refusals.count(),
        refusals.last(),
        notices == null ? "" : notices.lastError(),
        notices == null ? 0 : notices.failures(),
        leases,
        out,
        longest,
        stalenessMillis(),
        tooStale());
  }

  /** Without the subscriber's own use. */
  private long leases(LeasedModel<M> leased) {
    return Math.max(0, uses(leased) - 1);
  }

  /** Without what loads another model from it. */
  private int uses(LeasedModel<M> leased) {
    return Math.max(0, leased.uses() - (leased == loadingFrom ? 1 : 0));
  }

  /** Milliseconds since the model in service was made; empty before the first. */
  public Optional<Long> ageMillis() {
    return current().map(checkpoint -> clock.millis() - checkpoint.manifest().createdAtMillis());
  }

  /**
   * Looks at the pointer or the alias once and takes a new version if there is one. Goes back to an
   * older version than the one in service only if that one is pinned, or has the alias.
   *
   * @return whether another version went into service
   * @throws IOException if the version that is to be served is refused; the old one serves on. If
   *     there was none, one that the refused version was trained from may have gone into service,
   *     see {@link #current}; it is stale from the moment that the next was published. Also if the
   *     pointer names an older version, and the one in service is not there any more
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
      Optional<ModelReader.Serving> serving = look();
      if (serving.isPresent()) {
        checkHistory(serving.get());
      }
      boolean taken = !closed && serving.isPresent() && wanted(serving.get());
      if (taken) {
        if (stillLoaded(serving.get().checkpoint()) == null) {
          refuseTooManyRetired(serving.get().checkpoint());
        }
        takeNewest(serving.get());
      } else if (serving.isPresent() || current == null) {
        forgetRefusal("");
      }
      if (serving.isPresent()) {
        confirmedNanos = nanoTime.getAsLong();
        staleTold = false;
      } else {
        // Where something was published there is something: a folder that is not mounted is empty.
        tellStale();
      }
      return taken;
    } catch (Throwable refused) {
      refuse(Failures.text(refused));
      tellStale();
      throw refused;
    }
  }

  private void tellStale() {
    if (tooStale() && !staleTold) {
      staleTold = true;
      LOG.warn("{}", whyNone());
    }
  }

  private void refuse(String reason) {
    synchronized (swapping) {
      refusals = new Refusals(refusals.count() + 1, reason);
    }
  }

  private void forgetRefusal(String instead) {
    synchronized (swapping) {
      refusals = new Refusals(refusals.count(), instead);
    }
  }

  private Optional<ModelReader.Serving> look() throws IOException {
    String alias = subscription.alias();
    if (alias != null) {
      ModelCheckpoint named =
          subscription
              .models()
              .aliased(subscription.application(), subscription.partition(), alias);
      return Optional.of(new ModelReader.Serving(named, null));
    }
    return subscription.models().serving(subscription.application(), subscription.partition());
  }

  /**
   * Refuses a pointer to other models than those that the version in service is of. A pointer goes
   * back in one history too, where its publisher found the newest version damaged, or where
   * somebody's copy of it is out of date; then the version in service is still there.
   */
  private void checkHistory(ModelReader.Serving found) throws IOException {
    LeasedModel<M> serving = current;
    if (serving == null || subscription.alias() != null || found.pin() != null) {
      return;
    }
    ModelCheckpoint pointed = found.checkpoint();
    boolean same = serving.checkpoint().digest().equals(pointed.digest());
    long version = pointed.manifest().version();
    if (!same && version <= serving.version() && !isThere(serving.checkpoint())) {
      throw new IOException(
          ("the pointer names version %d, and version %d, which serves, is not among the models any"
                  + " more; if they were deleted or restored from an older copy, start this process"
                  + " anew, else pin the version to serve")
              .formatted(version, serving.version()));
    }
  }

  private boolean isThere(ModelCheckpoint version) throws IOException {
    try {
      return subscription
          .models()
          .read(subscription.application(), subscription.partition(), version.manifest().version())
          .digest()
          .equals(version.digest());
    } catch (CorruptModelException gone) {
      return false;
    }
  }

  /** Whether it is to be taken: a named or pinned version, or one newer than all before. */
  private boolean wanted(ModelReader.Serving found) {
    synchronized (swapping) {
      note(found);
      LeasedModel<M> serving = current;
      if (!named.isEmpty()) {
        String digest = found.checkpoint().digest();
        boolean rolledBack = !rolledBackNamed.isEmpty();
        rolledBackFrom = rolledBack ? rolledBackFrom : 0;
        return !rolledBack && (serving == null || !serving.checkpoint().digest().equals(digest));
      }
      long version = found.checkpoint().manifest().version();
      return version > rolledBackFrom && (serving == null || version > serving.version());
    }
  }

  /** Remembers what a pin or the alias names. With {@link #swapping}. */
  private void note(ModelReader.Serving found) {
    Pin pin = found.pin();
    if (pin != null) {
      named = found.checkpoint().digest() + "@" + pin.atMillis();
    } else {
      named = subscription.alias() == null ? "" : found.checkpoint().digest();
    }
    if (!named.equals(rolledBackNamed)) {
      // The name or the pin went elsewhere, so it may come back.
      rolledBackNamed = "";
    }
  }

  private void refuseTooManyRetired(ModelCheckpoint pointed) throws IOException {
    synchronized (retired) {
      forgetFreed();
      Retired<M> oldest = retired.peekFirst();
      if (retired.size() >= MOST_RETIRED && oldest != null) {
        throw new IOException(
            ("version %d is not taken: %d models that are out of service are still leased, the"
                    + " oldest (version %d) for %d ms; close every ModelLease when its request ends")
                .formatted(
                    pointed.manifest().version(),
                    retired.size(),
                    oldest.leased().version(),
                    millisSince(oldest.sinceNanos())));
      }
    }
  }

  private void forgetFreed() {
    for (Iterator<Retired<M>> each = retired.iterator(); each.hasNext(); ) {
      if (each.next().leased().uses() == 0) {
        each.remove();
      }
    }
  }

  /** A version that was deleted while it was read has newer ones; those are taken instead. */
  private void takeNewest(ModelReader.Serving found) throws IOException {
    ModelReader.Serving serving = found;
    for (int i = 1; ; i++) {
      try {
        take(serving.checkpoint(), nanoTime.getAsLong());
        return;
      } catch (CorruptModelException damaged) {
        Optional<ModelReader.Serving> now = look();
        if (i == LOOKS || now.isEmpty() || now.get().equals(serving)) {
          // Who asks for one version by a pin or a name is not given another.
          if (current == null && serving.pin() == null && subscription.alias() == null) {
            takeAncestor(serving.checkpoint(), damaged);
          }
          throw damaged;
        }
        serving = now.get();
        synchronized (swapping) {
          note(serving);
        }
      }
    }
  }

  /**
   * Takes the last version before a damaged one that loads, along the versions that each was
   * trained from, whose digests are known. Versions that the last rollback left are not taken.
   *
   * @param why takes what is wrong with those that do not load
   */
  private void takeAncestor(ModelCheckpoint damaged, CorruptModelException why) {
    try {
      Optional<Pin> rollback =
          subscription.models().pin(subscription.application(), subscription.partition());
      ModelCheckpoint link = damaged;
      ModelCheckpoint successor = damaged;
      for (int i = 0; i < MOST_ANCESTORS; i++) {
        Optional<ModelCheckpoint> before = subscription.models().trainedFrom(link);
        if (before.isEmpty()) {
          return;
        }
        link = before.get();
        if (rollback.isPresent() && rollback.get().left(link.manifest().version())) {
          continue;
        }
        // It was the one to serve until the next one was published.
        long sinceMillis = Math.max(0, clock.millis() - successor.manifest().createdAtMillis());
        successor = link;
        long confirmed = nanoTime.getAsLong() - TimeUnit.MILLISECONDS.toNanos(sinceMillis);
        if (loads(link, confirmed, why)) {
          LOG.warn(
              "version {} of {}/{} serves, because no version after it loads: {}",
              link.manifest().version(),
              subscription.application(),
              subscription.partition(),
              why.getMessage());
          return;
        }
      }
    } catch (IOException gone) {
      why.addSuppressed(gone);
    }
  }

  private boolean loads(ModelCheckpoint checkpoint, long confirmed, CorruptModelException why)
      throws IOException {
    try {
      take(checkpoint, confirmed);
      return true;
    } catch (CorruptModelException damaged) {
      why.addSuppressed(damaged);
      return false;
    }
  }

  /**
   * @param confirmed when it was last known to be the one to serve, by {@link #nanoTime}
   */
  private void take(ModelCheckpoint checkpoint, long confirmed) throws IOException {
    if (serveAgain(checkpoint, confirmed)) {
      return;
    }
    long beganNanos = nanoTime.getAsLong();
    M model = load(checkpoint);
    LeasedModel<M> taken = new LeasedModel<>(checkpoint, model, this::dispose);
    long loadMillis = millisSince(beganNanos);
    LeasedModel<M> doomed;
    synchronized (swapping) {
      if (closed) {
        // Nobody waited for it.
        doomed = taken;
      } else {
        doomed = previous;
        serve(taken, confirmed);
        swaps = new Swaps(swaps.count() + 1, swaps.loads() + 1, swaps.loadMillis() + loadMillis);
      }
    }
    retire(doomed);
  }

  /** Whether it serves without being loaded: pins mostly go one version back. */
  private boolean serveAgain(ModelCheckpoint checkpoint, long confirmed) {
    synchronized (swapping) {
      LeasedModel<M> serving = current;
      if (serving != null && serving.checkpoint().digest().equals(checkpoint.digest())) {
        // A rollback went to it meanwhile.
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

  /** The model that served before, if it is of this version. */
  private @Nullable LeasedModel<M> stillLoaded(ModelCheckpoint checkpoint) {
    LeasedModel<M> before = previous;
    boolean same = before != null && before.checkpoint().digest().equals(checkpoint.digest());
    return same ? before : null;
  }

  private M load(ModelCheckpoint checkpoint) throws IOException {
    LeasedModel<M> serving = current;
    // A rollback or the end of this subscriber may take it out of service meanwhile.
    LeasedModel<M> before = serving != null && serving.retain() ? serving : null;
    loadingFrom = before;
    try {
      return loader.load(
          LoadRequest.of(
              subscription.models(),
              checkpoint,
              before == null
                  ? null
                  : new LoadRequest.Loaded<>(before.checkpoint(), before.model())));
    } catch (CorruptModelException damaged) {
      throw new CorruptModelException(
          "version %d does not load: %s"
              .formatted(checkpoint.manifest().version(), damaged.getMessage()));
    } catch (Throwable failed) {
      throw new IOException(
          "version %d does not load: %s".formatted(checkpoint.manifest().version(), failed),
          failed);
    } finally {
      loadingFrom = null;
      if (before != null) {
        before.release();
      }
    }
  }

  /**
   * Puts a model into service; the one that serves now is the one before from then on. With {@link
   * #swapping}.
   */
  private void serve(LeasedModel<M> next, long confirmed) {
    previous = current;
    // Before it serves: a model that nobody has confirmed yet would count as stale, and the reason
    // why others were refused would seem to be one of this one.
    confirmedNanos = confirmed;
    forgetRefusal("");
    current = next.servingSince(clock.millis());
  }

  /** Takes a model out of service; whoever leases it keeps it until the last lease is closed. */
  private void retire(@Nullable LeasedModel<M> doomed) {
    if (doomed == null) {
      return;
    }
    synchronized (retired) {
      forgetFreed();
      retired.addLast(new Retired<>(doomed, nanoTime.getAsLong()));
    }
    doomed.release();
  }

  private void dispose(LeasedModel<M> freed) {
    try {
      loader.dispose(freed.model());
    } catch (Throwable failed) {
      // It must not hit the request that happened to be the last.
      refuse("version %d is not freed: %s".formatted(freed.version(), Failures.text(failed)));
      LOG.warn("{}", refusals.last(), failed);
    }
    synchronized (retired) {
      forgetFreed();
    }
  }

  /**
   * Serves the previous model again until a version newer than the present one appears, or, if the
   * present one is pinned or has the alias that is followed, until the pin or the alias goes to
   * another version. Requests that use the present one end with it. Does not wait for a version
   * that is being loaded; if that is a newer one, it serves once it is.
   *
   * @return whether there was a previous model
   */
  public boolean rollback() {
    LeasedModel<M> bad;
    synchronized (swapping) {
      LeasedModel<M> back = previous;
      bad = current;
      if (back == null || bad == null) {
        return false;
      }
      String digest = bad.checkpoint().digest();
      rolledBackFrom = bad.version();
      rolledBackNamed = named.startsWith(digest) ? named : "";
      current = back.servingSince(clock.millis());
      previous = null;
      swaps = new Swaps(swaps.count() + 1, swaps.loads(), swaps.loadMillis());
      forgetRefusal("rolled back from " + bad.version());
    }
    retire(bad);
    return true;
  }

  /**
   * Follows on a thread of its own until {@link #close()}.
   *
   * @param notices opens where news comes from, on a second thread, as often as it fails; null to
   *     look at the pointer only, every {@link Subscription#poll}
   * @param onRefusal told once for each new reason, on the following thread
   */
  public void start(NoticeSource.@Nullable Opener notices, Consumer<String> onRefusal) {
    synchronized (swapping) {
      if (closed || !threads.isEmpty()) {
        throw new IllegalStateException(closed ? "closed already" : "started already");
      }
      List<Thread> started = new ArrayList<>();
      started.add(new Thread(() -> follow(onRefusal), "model-subscriber"));
      if (notices != null) {
        NoticeListener waiting = new NoticeListener(notices, () -> news.offer(true));
        listener = waiting;
        started.add(new Thread(waiting, "model-notices"));
      }
      threads = List.copyOf(started);
      for (Thread thread : started) {
        thread.setDaemon(true);
        thread.start();
      }
    }
  }

  private void follow(Consumer<String> onRefusal) {
    long pauseNanos = subscription.poll().toNanos();
    String told = "";
    while (!closed) {
      try {
        pauseNanos = Math.min(Math.max(LONGEST_PAUSE_NANOS, pollNanos()), pauseNanos * 2);
        refresh();
        pauseNanos = pollNanos();
        told = "";
      } catch (UnknownAliasException unnamed) {
        // It was looked up well; somebody may give the name any moment.
        pauseNanos = pollNanos();
        told = tell(unnamed, told, onRefusal);
      } catch (Throwable refused) {
        told = tell(refused, told, onRefusal);
      }
      try {
        news.poll(pauseNanos, TimeUnit.NANOSECONDS);
      } catch (InterruptedException interrupted) {
        // Only close() ends this thread; the loop looks.
        LOG.debug("interrupted while following {}", subscription.application());
      }
    }
  }

  private long pollNanos() {
    return subscription.poll().toNanos();
  }

  /** Tells a new reason, by all means there are; returns what is told now. */
  private String tell(Throwable refused, String told, Consumer<String> onRefusal) {
    String reason = Failures.text(refused);
    if (reason.equals(told) || closed) {
      return reason;
    }
    try {
      LOG.warn("{}/{}: {}", subscription.application(), subscription.partition(), reason);
      onRefusal.accept(reason);
    } catch (Throwable failed) {
      refuse(reason + "; and whoever was to be told failed: " + Failures.text(failed));
    }
    return reason;
  }

  /**
   * Stops following. Both models are freed, each when its last lease is closed. Waits for the
   * threads, 10 s at most: a version that takes longer to load is freed when it is loaded.
   */
  @Override
  public void close() {
    synchronized (swapping) {
      closed = true;
    }
    NoticeListener notices = listener;
    if (notices != null) {
      notices.close();
    }
    List<Thread> running = threads;
    running.forEach(Thread::interrupt);
    join(running);
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

  private static void join(List<Thread> running) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
    for (Thread thread : running) {
      try {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
