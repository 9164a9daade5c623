package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import java.io.IOException;
import java.util.Optional;
import java.util.SortedMap;

/** The port to the contributions of learners and to the mixed versions. For one thread. */
public interface MixingPlace {
  /** A contribution with its files, which were verified. */
  record Contribution(ModelManifest manifest, SortedMap<String, byte[]> files) {}

  /**
   * Reads a contribution.
   *
   * @param digest digest of its manifest
   * @throws java.nio.file.NoSuchFileException if it does not exist any more
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if it is damaged, or has
   *     another digest
   * @throws IOException if the medium fails
   */
  Contribution contribution(int partition, long version, String digest) throws IOException;

  /** Returns the newest mixed version that serves; empty before the first. */
  Optional<ModelCheckpoint> current() throws IOException;

  /**
   * Publishes a mixed version; when this returns, it is durable and current.
   *
   * @throws io.idlalayer.middleware.models.store.FencedPublisherException if another publisher has
   *     the place
   * @throws IOException if the medium fails; the current version stays
   */
  ModelCheckpoint publish(ModelDraft draft) throws IOException;

  /**
   * Stores a mixed version for learners only: it does not serve. When this returns, it is durable.
   *
   * @throws io.idlalayer.middleware.models.store.FencedPublisherException if another publisher has
   *     the place
   * @throws IOException if the medium fails
   */
  ModelCheckpoint withhold(ModelDraft draft) throws IOException;

  /** Returns the partition number under which versions that do not serve are stored. */
  int withheldPartition();

  /** Deletes old versions. What cannot be deleted is logged, and tried again the next time. */
  void cleanUp();
}
