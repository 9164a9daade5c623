package io.idlalayer.middleware.checkpoint;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a serving process on the newest model: follows the pointer, verifies each new version,
 * loads it beside the old one and swaps one reference. A version that is damaged or fails to load
 * is refused and the old one serves on.
 *
 * <pre>{@code
 * var subscriber = new ModelSubscriber<>(
 *     new ModelSubscriber.Subscription(models, "electricity", 0, Duration.ofMillis(200)),
 *     Dl4jModelLoader.INSTANCE, InstantSource.system());
 * subscriber.start(null, System.err::println);
 * float[][] answer = subscriber.current().orElseThrow().model().predict(samples);
 * }</pre>
 *
 * <p>{@link #current} is safe from any thread and never blocks. The model before the current one is
 * kept, so that a caller may finish with it; the one before that is disposed of.
 *
 * @param <M> the model as the serving process uses it
 */
public final class ModelSubscriber<M> implements AutoCloseable {
  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(30).toNanos();
  private static final int LOOKS = 5;
  private static final long CLOSE_MILLIS = 10_000;

  private final Subscription subscription;
  private final ModelLoader<M> loader;
  private final InstantSource clock;

  private volatile @Nullable Served<M> current;
  private volatile @Nullable Served<M> previous;
  private volatile Status status = new Status(0, 0, "");
  private volatile boolean closed;
  private @Nullable Thread thread;
  private long rolledBackFrom;

  /**
   * What to follow.
   *
   * @param poll how often the pointer is looked at; with notices, how long at most until it is
   */
  public record Subscription(ModelStore store, String application, int partition, Duration poll) {}

  /** A model in service. */
  public record Served<M>(ModelCheckpoint checkpoint, M model) {
    public long version() {
      return checkpoint.manifest().version();
    }
  }

  /**
   * How the subscriber fares.
   *
   * @param version version in service, 0 for none
   * @param refused attempts that were refused so far
   * @param lastError why the last one was refused, "" since a version was taken after it
   */
  public record Status(long version, long refused, String lastError) {}

  public ModelSubscriber(Subscription subscription, ModelLoader<M> loader, InstantSource clock) {
    this.subscription = subscription;
    this.loader = loader;
    this.clock = clock;
  }

  /** The model in service, empty before the first. */
  public Optional<Served<M>> current() {
    return Optional.ofNullable(current);
  }

  /** The model that served before, if it is kept. */
  public Optional<Served<M>> previous() {
    return Optional.ofNullable(previous);
  }

  public Status status() {
    return status;
  }

  /** Milliseconds since the model in service was made; empty before the first. */
  public Optional<Long> ageMillis() {
    return current()
        .map(served -> clock.millis() - served.checkpoint().manifest().createdAtMillis());
  }

  /**
   * Looks at the pointer once and takes a new version if there is one. Never goes back to an older
   * version than the one in service.
   *
   * @return whether a new version went into service
   * @throws IOException if the version the pointer names is refused; the old one serves on
   */
  public synchronized boolean refresh() throws IOException {
    try {
      Optional<ModelCheckpoint> pointed =
          subscription.store().current(subscription.application(), subscription.partition());
      if (closed || pointed.isEmpty() || !newer(pointed.get())) {
        return false;
      }
      takeNewest(pointed.get());
      return true;
    } catch (IOException | RuntimeException refused) {
      Status before = status;
      status =
          new Status(before.version(), before.refused() + 1, String.valueOf(refused.getMessage()));
      throw refused;
    }
  }

  private boolean newer(ModelCheckpoint pointed) {
    Served<M> serving = current;
    long version = pointed.manifest().version();
    return version > rolledBackFrom && (serving == null || version > serving.version());
  }

  /** A version that was deleted while it was read has newer ones; those are taken instead. */
  private void takeNewest(ModelCheckpoint pointed) throws IOException {
    ModelCheckpoint checkpoint = pointed;
    for (int i = 1; ; i++) {
      try {
        take(checkpoint);
        return;
      } catch (CorruptModelException damaged) {
        Optional<ModelCheckpoint> now =
            subscription.store().current(subscription.application(), subscription.partition());
        if (i == LOOKS || now.isEmpty() || now.get().equals(checkpoint)) {
          throw damaged;
        }
        checkpoint = now.get();
      }
    }
  }

  private void take(ModelCheckpoint checkpoint) throws IOException {
    SortedMap<String, byte[]> files = subscription.store().load(checkpoint);
    M model;
    try {
      model = loader.load(checkpoint, files);
    } catch (Exception failed) {
      throw new IOException(
          "version %d does not load: %s".formatted(checkpoint.manifest().version(), failed),
          failed);
    }
    Served<M> doomed = previous;
    previous = current;
    current = new Served<>(checkpoint, model);
    status = new Status(checkpoint.manifest().version(), status.refused(), "");
    if (doomed != null) {
      loader.dispose(doomed.model());
    }
  }

  /**
   * Serves the previous model again until a version newer than the present one appears.
   *
   * @return whether there was a previous model
   */
  public synchronized boolean rollback() {
    Served<M> back = previous;
    Served<M> bad = current;
    if (back == null || bad == null) {
      return false;
    }
    rolledBackFrom = bad.version();
    current = back;
    previous = null;
    status = new Status(back.version(), status.refused(), "rolled back from " + bad.version());
    loader.dispose(bad.model());
    return true;
  }

  /**
   * Follows on a thread of its own until {@link #close()}.
   *
   * @param notices where news comes from, closed with the subscriber; null to look at the pointer
   *     only
   * @param onRefusal told once for each new reason
   */
  public synchronized void start(@Nullable NoticeSource notices, Consumer<String> onRefusal) {
    if (thread != null) {
      throw new IllegalStateException("started already");
    }
    Thread follower = new Thread(() -> follow(notices, onRefusal), "model-subscriber");
    follower.setDaemon(true);
    thread = follower;
    follower.start();
  }

  private void follow(@Nullable NoticeSource notices, Consumer<String> onRefusal) {
    long pauseNanos = subscription.poll().toNanos();
    String told = "";
    try {
      while (!closed) {
        try {
          refresh();
          pauseNanos = subscription.poll().toNanos();
        } catch (IOException | RuntimeException refused) {
          String reason = String.valueOf(refused.getMessage());
          if (!reason.equals(told)) {
            onRefusal.accept(reason);
            told = reason;
          }
          pauseNanos = Math.min(LONGEST_PAUSE_NANOS, pauseNanos * 2);
        }
        pause(notices, Duration.ofNanos(pauseNanos));
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      if (notices != null) {
        notices.close();
      }
    }
  }

  private void pause(@Nullable NoticeSource notices, Duration longest) throws InterruptedException {
    if (notices != null) {
      notices.await(longest);
      return;
    }
    LockSupport.parkNanos(longest.toNanos());
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /** Stops following and disposes of both models. */
  @Override
  public void close() {
    closed = true;
    Thread follower = thread;
    if (follower != null) {
      follower.interrupt();
      try {
        follower.join(CLOSE_MILLIS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    synchronized (this) {
      Served<M> serving = current;
      Served<M> before = previous;
      current = null;
      previous = null;
      if (serving != null) {
        loader.dispose(Objects.requireNonNull(serving.model()));
      }
      if (before != null) {
        loader.dispose(before.model());
      }
    }
  }
}
