package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks up in the store which version a subscriber should serve. Without state; any thread. */
final class VersionLookup {
  private final ModelSubscriber.Subscription subscription;

  VersionLookup(ModelSubscriber.Subscription subscription) {
    this.subscription = subscription;
  }

  /**
   * Returns the version that the alias, the pin or the pointer names; empty if nothing is
   * published.
   */
  Optional<ModelReader.Serving> look() throws IOException {
    String alias = subscription.alias();
    if (alias != null) {
      ModelCheckpoint aliased =
          subscription
              .models()
              .aliased(subscription.application(), subscription.partition(), alias);
      return Optional.of(new ModelReader.Serving(aliased, null));
    }
    return subscription.models().serving(subscription.application(), subscription.partition());
  }

  /**
   * Returns whether the version was chosen by the pointer, so that an older version may serve in
   * its place. If an operator chose it by a pin or an alias, exactly this version must serve.
   */
  boolean namedByPointer(ModelReader.Serving found) {
    return found.pin() == null && subscription.alias() == null;
  }

  /**
   * Throws if the pointer belongs to another history of models than the version in service. A
   * pointer can also go back within one history: its publisher found the newest version damaged, or
   * a copy of the pointer is out of date. In both cases the version in service is still in the
   * store.
   *
   * @param serving the version in service; null for none
   */
  void refuseOtherHistory(ModelReader.Serving found, @Nullable ModelCheckpoint serving)
      throws IOException {
    if (serving == null || !namedByPointer(found)) {
      return;
    }
    ModelCheckpoint pointed = found.checkpoint();
    boolean same = serving.digest().equals(pointed.digest());
    if (!same && pointed.version() <= serving.version() && !isThere(serving)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "the pointer names version %d, but version %d, which is served here, is no "
                  + "longer in the store; if they were deleted or restored from an older copy, "
                  + "start this process anew, else pin the version to serve",
              pointed.version(),
              serving.version()));
    }
  }

  private boolean isThere(ModelCheckpoint version) throws IOException {
    try {
      return subscription
          .models()
          .read(subscription.application(), subscription.partition(), version.version())
          .digest()
          .equals(version.digest());
    } catch (CorruptModelException gone) {
      return false;
    }
  }
}
