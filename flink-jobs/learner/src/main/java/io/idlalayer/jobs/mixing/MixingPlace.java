package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** The port to the contributions of learners and to the mixed versions. For one thread. */
public interface MixingPlace {
  /** What is stored of a mixed model. */
  enum Kind {
    /** A version that serves. */
    SERVED,
    /** A version for learners only, because the one in service has learned more. */
    WITHHELD,
    /** A model that learners compare with its baseline before it is published. */
    CANDIDATE,
    /** The verdict on such a model, without files. */
    VERDICT
  }

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

  /** Returns the partition number under which a kind is stored. */
  int partition(Kind kind);

  /**
   * Stores a draft; when this returns, it is durable, and the newest of its kind. A version that
   * serves is current then.
   *
   * @param draft has the kind's partition number
   * @throws io.idlalayer.middleware.models.store.FencedPublisherException if another publisher has
   *     the place
   * @throws IOException if the medium fails; the newest before stays
   */
  ModelCheckpoint store(Kind kind, ModelDraft draft) throws IOException;

  /**
   * Returns the manifests of the verdicts that are still stored, the newest first. An earlier
   * attempt of the job cannot store one any more when this returns.
   */
  List<ModelManifest> verdicts() throws IOException;

  /** Deletes old versions. What cannot be deleted is logged, and tried again the next time. */
  void cleanUp();

  /** Returns the row files of tables; empty where none are stored. */
  default Optional<MixingRows> rows() {
    return Optional.empty();
  }
}
