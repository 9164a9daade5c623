package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes new versions for a subscriber: loads each version beside the model in service, then puts it
 * into service. For one thread at a time, which holds {@code looking}.
 *
 * @param <M> the model as the serving process uses it
 */
final class VersionTaker<M> {
  private static final Logger LOG = LoggerFactory.getLogger(VersionTaker.class);

  /** Attempts to take a version; several, because a version can be deleted before it is read. */
  private static final int LOOKS = 5;

  /** Most ancestors of a damaged version that are tried if no version serves yet. */
  private static final int MOST_ANCESTORS = 64;

  private final ModelSubscriber.Subscription subscription;
  private final ModelLoader<M> loader;
  private final VersionLookup lookup;
  private final ServingModels<M> models;
  private final InstantSource clock;
  private final LongSupplier nanoTime;

  VersionTaker(
      ModelSubscriber.Subscription subscription,
      ModelLoader<M> loader,
      VersionLookup lookup,
      ServingModels<M> models,
      InstantSource clock,
      LongSupplier nanoTime) {
    this.subscription = subscription;
    this.loader = loader;
    this.lookup = lookup;
    this.models = models;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /**
   * Takes a version. If the version is deleted before it is read, looks again and takes the version
   * that is to be served now. If no version serves yet and the pointer names a damaged version,
   * takes an ancestor of the damaged version.
   *
   * @throws CorruptModelException if the version to be served is damaged, also if an ancestor
   *     serves
   */
  void take(ModelReader.Serving found) throws IOException {
    ModelReader.Serving wanted = found;
    for (int i = 1; ; i++) {
      try {
        take(wanted.checkpoint(), nanoTime.getAsLong());
        return;
      } catch (CorruptModelException damaged) {
        Optional<ModelReader.Serving> now = lookup.look();
        if (i == LOOKS || now.isEmpty() || now.get().equals(wanted)) {
          if (models.current() == null && lookup.namedByPointer(wanted)) {
            takeAncestor(wanted.checkpoint(), damaged);
          }
          throw damaged;
        }
        wanted = now.get();
        models.note(wanted);
      }
    }
  }

  /**
   * Takes the newest ancestor of a damaged version that can be loaded. Follows the parents of
   * versions, whose digests are known. Skips versions that the last rollback took out of service.
   *
   * @param why gets the damage of the versions that do not load
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
        if (rollback.isPresent() && rollback.get().left(link.version())) {
          continue;
        }
        // The ancestor was the version to serve until its successor was published.
        long sinceMillis = Math.max(0, clock.millis() - successor.manifest().createdAtMillis());
        successor = link;
        long confirmed = nanoTime.getAsLong() - TimeUnit.MILLISECONDS.toNanos(sinceMillis);
        if (loads(link, confirmed, why)) {
          LOG.warn(
              "version {} of {}/{} serves, because no version after it loads: {}",
              link.version(),
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
    if (!models.serveAgain(checkpoint, confirmed)) {
      long beganNanos = nanoTime.getAsLong();
      M model = load(checkpoint);
      long loadNanos = Math.max(0, nanoTime.getAsLong() - beganNanos);
      models.serveLoaded(checkpoint, model, confirmed, TimeUnit.NANOSECONDS.toMillis(loadNanos));
    }
  }

  private M load(ModelCheckpoint checkpoint) throws IOException {
    LeasedModel<M> before = models.leaseToLoader();
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
          String.format(
              Locale.ROOT,
              "version %d does not load: %s",
              checkpoint.version(),
              damaged.getMessage()));
    } catch (Throwable failed) {
      throw new IOException(
          String.format(Locale.ROOT, "version %d does not load: %s", checkpoint.version(), failed),
          failed);
    } finally {
      models.takeFromLoader(before);
    }
  }
}
