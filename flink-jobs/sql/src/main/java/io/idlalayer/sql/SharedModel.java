package io.idlalayer.sql;

import io.idlalayer.middleware.models.http.BearerToken;
import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.kafka.HeartbeatReporter;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.cache.CachedSource;
import io.idlalayer.middleware.models.storage.cache.VersionCache;
import io.idlalayer.middleware.models.storage.cache.VersionCacheSettings;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.modelruntime.serve.PlainModel;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A model that switches to new versions when its store gets them. All subtasks of a process whose
 * queries have equal descriptions of the model share it. Each caller of {@link #open} must close
 * the model.
 */
final class SharedModel implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SharedModel.class);
  private static final Map<IdlaModelProvider, SharedModel> OPEN = new HashMap<>();
  private static final Duration FIRST_LOOKS = Duration.ofMillis(100);

  private final IdlaModelProvider key;
  private final @Nullable HttpModelSource http;
  private final @Nullable ModelStore store;
  private final CheckedModelLoader loader;
  private final ModelSubscriber<PlainModel> subscriber;
  private @Nullable HeartbeatReporter heartbeats;
  private int users;

  private SharedModel(IdlaModelProvider key) throws IOException {
    this.key = key;
    http = key.options().remote() ? source(key.options()) : null;
    store =
        http == null
            ? ModelStore.open(
                key.options().store(), InstantSource.system(), PublisherIdentity.ofThisProcess())
            : null;
    ModelReader reader =
        new ModelReader(
            through(key.options(), http == null ? Objects.requireNonNull(store).source() : http));
    loader = new CheckedModelLoader(key.inputs(), key.outputs());
    subscriber =
        new ModelSubscriber<>(subscription(key.options(), reader), loader, InstantSource.system());
  }

  private static HttpModelSource source(ModelOptions options) throws IOException {
    String file = options.tokenFile();
    String token = file == null ? null : BearerToken.read(Path.of(file));
    return new HttpModelSource(HttpModelSettings.of(URI.create(options.store()), token));
  }

  /** Returns a source that reads through the query's cache; the given source if it has none. */
  private static ModelSource through(ModelOptions options, ModelSource source) {
    String folder = options.cacheFolder();
    if (folder == null) {
      return source;
    }
    VersionCacheSettings settings =
        new VersionCacheSettings(
            Path.of(folder), options.cacheBytes(), VersionCacheSettings.USUAL_WAIT);
    return new CachedSource(source, new VersionCache(settings, InstantSource.system()));
  }

  private static ModelSubscriber.Subscription subscription(
      ModelOptions options, ModelReader reader) {
    ModelSubscriber.Subscription subscription =
        new ModelSubscriber.Subscription(
            reader, options.application(), options.partition(), options.poll());
    Duration most = options.maxStaleness();
    if (most != null) {
      subscription =
          subscription.with(new ModelSubscriber.StalenessLimit(most, options.whenStale()));
    }
    String alias = options.alias();
    return alias == null ? subscription : subscription.with(alias);
  }

  /**
   * Returns the shared model for a description; opens it and waits for its first version if
   * necessary.
   *
   * @throws IOException if no version can be loaded in time, or at once if a version differs from
   *     the query's columns; the message has the reason
   */
  static SharedModel open(IdlaModelProvider key) throws IOException, InterruptedException {
    SharedModel model;
    synchronized (OPEN) {
      SharedModel known = OPEN.get(key);
      model = known == null ? new SharedModel(key) : known;
      OPEN.put(key, model);
      model.users++;
      if (known == null) {
        model.subscriber.start(null, refusal -> LOG.warn("refused a model: {}", refusal));
      }
    }
    try {
      model.report();
      model.awaitFirst();
      return model;
    } catch (IOException | InterruptedException | RuntimeException failed) {
      model.close();
      throw failed;
    }
  }

  /**
   * Starts to send heartbeats about the served version, if the options of the query name a target
   * and no heartbeats are sent yet.
   */
  private synchronized void report() throws IOException {
    HeartbeatTarget target = key.options().heartbeats();
    if (target != null && heartbeats == null) {
      heartbeats = target.report(subscriber);
    }
  }

  private void awaitFirst() throws IOException, InterruptedException {
    ModelOptions options = key.options();
    if (subscriber.current().isEmpty()) {
      look();
    }
    long deadlineNanos = System.nanoTime() + options.waitForModel().toNanos();
    while (subscriber.current().isEmpty()) {
      String mismatch = loader.mismatch();
      if (mismatch != null) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "the model of %s/%d in %s differs from the query's columns: %s; create the model"
                    + " with these columns, or let another version serve (idla models pin, or"
                    + " 'alias')",
                options.application(),
                options.partition(),
                options.store(),
                mismatch));
      }
      if (System.nanoTime() > deadlineNanos) {
        String reason = subscriber.lastError();
        throw new IOException(
            String.format(
                Locale.ROOT,
                "no model of %s/%d in %s could be loaded within %s ('wait-for-model'): %s",
                options.application(),
                options.partition(),
                options.store(),
                options.waitForModel(),
                reason.isEmpty() ? nothing() : reason));
      }
      LockSupport.parkNanos(FIRST_LOOKS.toNanos());
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  /** Returns the reason why no version is loaded although no attempt to load one has failed. */
  private String nothing() {
    try {
      if (store != null && store.isEmpty()) {
        return "there are no models of any application at this address; is it right?";
      }
    } catch (IOException unreadable) {
      return "nothing is published, and now the store cannot be read: " + unreadable.getMessage();
    }
    return "nothing is published";
  }

  /**
   * Checks the store for a first version on the calling thread; the subscriber's own thread makes
   * all later checks.
   */
  private void look() {
    try {
      subscriber.refresh();
    } catch (IOException refused) {
      LOG.warn("refused a model", refused);
    }
  }

  ModelSubscriber<PlainModel> subscriber() {
    return subscriber;
  }

  @Override
  public void close() {
    synchronized (OPEN) {
      if (--users > 0) {
        return;
      }
      OPEN.remove(key);
    }
    synchronized (this) {
      if (heartbeats != null) {
        heartbeats.close();
      }
    }
    subscriber.close();
    if (http != null) {
      http.close();
    }
    if (store != null) {
      store.close();
    }
  }
}
