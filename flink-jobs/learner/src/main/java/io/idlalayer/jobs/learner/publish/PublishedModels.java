package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What a learner needs of the place where its models are published. Opened by the operator's
 * thread, then called by the trainer thread where nothing else is said.
 */
public interface PublishedModels {
  /**
   * Takes the publisher's place, so that an older publisher is refused from now on.
   *
   * @throws IOException if the medium fails; the first publication tries again
   */
  void claim() throws IOException;

  /**
   * Publishes a model; it is durable and current when this returns.
   *
   * @throws io.idlalayer.middleware.models.store.FencedPublisherException if another publisher has
   *     the place
   * @throws IOException if the medium fails; the version that was current stays so
   */
  ModelCheckpoint publish(ModelDraft draft) throws IOException;

  /** The version in service, empty before the first. */
  Optional<ModelCheckpoint> current() throws IOException;

  /**
   * Deletes all but the newest versions; what cannot be deleted is passed over.
   *
   * @param needed versions that stay, however old
   * @throws IOException if the folder cannot be looked at
   */
  ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) throws IOException;

  /**
   * Pins an older version, which serves in place of version {@code left} until a version above
   * {@code left} is published. Called by a thread of its own; does not wait for a publication or
   * clean-up that is under way.
   *
   * @param version the version to serve, with this digest; it was published before and is not
   *     deleted
   * @param left the version that is not to serve any more
   * @param reason a readable sentence
   * @throws IOException if the medium fails, or the version does not exist any more
   */
  void rollBack(long version, String digest, long left, String reason) throws IOException;

  /**
   * Returns the latest pin: an older version that serves, and until when. The pin may have ended
   * already. Empty if no version was pinned. Safe from any thread.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if the pin is damaged
   */
  default Optional<Pin> pin() throws IOException {
    return Optional.empty();
  }

  /**
   * The files of the version in service; empty before the first, or where none are stored. Called
   * by any thread.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if it is damaged
   */
  default Optional<ServedFiles> inService() throws IOException {
    return Optional.empty();
  }

  /**
   * What a version that was published says of itself; empty where none are stored. Called by any
   * thread.
   *
   * @throws IOException if it is not there any more, or is damaged
   */
  default Optional<ModelManifest> manifest(long version) throws IOException {
    return Optional.empty();
  }

  /**
   * A version with its files, verified.
   *
   * @param pin why it is not the current version; null if it is
   */
  record ServedFiles(
      ModelCheckpoint checkpoint, SortedMap<String, byte[]> files, @Nullable Pin pin) {
    /** Whether it serves because a version was given up, and nothing newer was published since. */
    public boolean inPlaceOf(long version) {
      return pin != null
          && pin.until() > 0
          && version <= pin.until()
          && version > checkpoint.manifest().version();
    }
  }

  /** The rows of published versions; empty where no files are stored. */
  default Optional<PublishedRows> rows() {
    return Optional.empty();
  }
}
