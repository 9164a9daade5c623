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
  /** The kinds of objects that are stored for mixed models. */
  enum Kind {
    /** A version that serves. */
    SERVED,
    /** A version only for learners, because the version in service has learned more. */
    WITHHELD,
    /** A model that learners compare with its baseline before it is published. */
    CANDIDATE,
    /** The verdict on a candidate, without files. */
    VERDICT
  }

  /** A contribution with its files, which were verified. */
  record Contribution(ModelManifest manifest, SortedMap<String, byte[]> files) {}

  /**
   * Reads a contribution.
   *
   * @param digest digest of its manifest
   * @throws java.nio.file.NoSuchFileException if the contribution does not exist any more
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if the contribution is
   *     damaged, or has another digest
   * @throws IOException if the medium fails
   */
  Contribution contribution(int partition, long version, String digest) throws IOException;

  /** Returns the newest mixed version that serves; empty before the first. */
  Optional<ModelCheckpoint> current() throws IOException;

  /** Returns the partition number under which a kind is stored. */
  int partition(Kind kind);

  /**
   * Stores a draft. When this method returns, the stored object is durable and is the newest of its
   * kind. A version that serves is then current.
   *
   * @param draft the draft, with the partition number of the kind
   * @throws io.idlalayer.middleware.models.store.FencedPublisherException if another publisher has
   *     the place
   * @throws IOException if the medium fails; the previous newest object stays
   */
  ModelCheckpoint store(Kind kind, ModelDraft draft) throws IOException;

  /**
   * Returns the manifests of the verdicts that are still stored, the newest first. When this method
   * returns, an earlier attempt of the job cannot store verdicts any more.
   */
  List<ModelManifest> verdicts() throws IOException;

  /**
   * Deletes old versions. If a version cannot be deleted, this is logged, and the next call tries
   * again.
   */
  void cleanUp();

  /** Returns the row files of tables; empty if none are stored. */
  default Optional<MixingRows> rows() {
    return Optional.empty();
  }
}
