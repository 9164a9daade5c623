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
 * The port to the place where a learner's models are published. The operator's thread opens it;
 * then the trainer thread calls it, unless a method says otherwise.
 */
public interface PublishedModels {
  /**
   * Claims the right to publish the learner's models, so that an older publisher is refused from
   * now on.
   *
   * @throws IOException if the medium fails; the first publication tries again
   */
  void claim() throws IOException;

  /**
   * Publishes a model; when this returns, the version is durable and current.
   *
   * @throws io.idlalayer.middleware.models.store.FencedPublisherException if another publisher has
   *     the place
   * @throws IOException if the medium fails; the current version stays
   */
  ModelCheckpoint publish(ModelDraft draft) throws IOException;

  /** Returns the version in service, empty before the first. */
  Optional<ModelCheckpoint> current() throws IOException;

  /**
   * Deletes all versions except the newest. Versions that cannot be deleted are skipped.
   *
   * @param needed versions that are kept even if they are old
   * @throws IOException if the folder cannot be read
   */
  ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) throws IOException;

  /**
   * Deletes all versions up to {@code before}, because they have possibly learned from samples that
   * are forgotten. Pins and aliases of these versions are removed. The version that the pointer
   * names stays.
   *
   * @throws IOException if a version could not be deleted; a later call tries again
   */
  void forget(long before) throws IOException;

  /**
   * Pins an older version, which serves in place of version {@code left} until a version above
   * {@code left} is published. Called by a separate thread; does not wait for a publication or
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
   * Returns the latest pin, which says which older version serves, and until when. The pin has
   * possibly ended already. Empty if no version was pinned. Safe from any thread.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if the pin is damaged
   */
  default Optional<Pin> pin() throws IOException {
    return Optional.empty();
  }

  /**
   * Returns the files of the version in service; empty before the first version, or if files are
   * not stored. Safe from any thread.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if the version is damaged
   */
  default Optional<ServedFiles> inService() throws IOException {
    return Optional.empty();
  }

  /**
   * Returns the manifest of a published version; empty if manifests are not stored. Safe from any
   * thread.
   *
   * @throws IOException if the version does not exist any more, or is damaged
   */
  default Optional<ModelManifest> manifest(long version) throws IOException {
    return Optional.empty();
  }

  /**
   * A published version with its files, which were verified.
   *
   * @param pin the pin that makes it serve although it is not current; null if it is current
   */
  record ServedFiles(
      ModelCheckpoint checkpoint, SortedMap<String, byte[]> files, @Nullable Pin pin) {
    /**
     * Returns whether this version serves because {@code version} was given up, and no newer
     * version was published since.
     */
    public boolean inPlaceOf(long version) {
      return pin != null
          && pin.until() > 0
          && version <= pin.until()
          && version > checkpoint.manifest().version();
    }
  }

  /** Returns the rows of published versions; empty if files are not stored. */
  default Optional<PublishedRows> rows() {
    return Optional.empty();
  }

  /**
   * Returns whether the accepted model must be published once more, because no version contains the
   * model's rows and otherwise no later version would contain them. The operator's thread calls it.
   */
  default boolean owesRows() {
    return false;
  }

  /** Returns whether a version with all rows also contains the changes since its parent. */
  default boolean keepsRowChanges() {
    return false;
  }
}
