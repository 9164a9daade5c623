package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.Lineage;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds at a start which version serves, and what follows from that for the model in state. Changes
 * nothing.
 */
final class InService {
  private static final Logger LOG = LoggerFactory.getLogger(InService.class);

  private final LearnerKey key;
  private final PublishedModels models;
  private final VersionRows rows;

  InService(LearnerKey key, PublishedModels models, VersionRows rows) {
    this.key = key;
    this.models = models;
    this.rows = rows;
  }

  /** What has become of the model in state while no learner ran. */
  enum Standing {
    /** It serves, is going to, or another version serves for other reasons. */
    IN_ORDER,
    /** It was refused, and the state says so. */
    WITHHELD,
    /**
     * The version that it is, or was made from, was left for an older one, and the state does not
     * say so: the process died after it had set a pin, or people did that while it was stopped.
     */
    PUT_BACK,
    /** It was published and left, and the process died before its state said either. */
    LEFT_UNRECORDED
  }

  /**
   * What was found.
   *
   * @param rowsKnown whether the rows that the version was published with are known
   * @param ofThisLineage whether the model in state is the version, or was made from it, so that
   *     the version has not trained on what comes now
   * @param left the version that serves no more, 0 if none was left
   */
  record Found(
      ServedVersion serves,
      boolean rowsKnown,
      boolean ofThisLineage,
      Standing standing,
      long left) {}

  /**
   * Looks at the model store.
   *
   * @param model in state; null before the first
   * @param pending whether it is still to be published
   * @return empty if no version serves
   * @throws IOException if that cannot be read
   */
  Optional<Found> find(@Nullable AcceptedModel model, boolean pending) throws IOException {
    PublishedModels.ServedFiles files = models.inService().orElse(null);
    if (files == null) {
      return Optional.empty();
    }
    ServedVersion serves = servedVersion(files, model);
    boolean rowsKnown = rows.known(serves);
    long known = model == null ? 0 : model.publishedVersion();
    if (files.inPlaceOf(known)) {
      // The state is newer than a version that was put back.
      return Optional.of(new Found(serves, rowsKnown, true, Standing.PUT_BACK, known));
    }
    Lineage lineage = model == null ? null : model.lineage();
    boolean own =
        lineage != null
            && (lineage.digest().equals(serves.digest())
                || lineage.parentDigest().equals(serves.digest()));
    Pin pin = files.pin();
    long left = pin == null || model == null || !pending ? 0 : leftBefore(pin, model);
    Standing standing = Standing.IN_ORDER;
    if (left > 0) {
      standing = Standing.LEFT_UNRECORDED;
    } else if (model != null && model.withheld() && serves.version() <= known) {
      // Not if people have let a newer version serve than the one that the model gave way to.
      standing = Standing.WITHHELD;
    }
    return Optional.of(new Found(serves, rowsKnown, own, standing, left));
  }

  /**
   * The version that was published of a model which the state has as still to be published, and
   * left since for an older one; 0 if there is none.
   */
  private long leftBefore(Pin pin, AcceptedModel model) {
    long oldest = Math.max(model.publishedVersion(), pin.version());
    for (long version = pin.until(); version > oldest; version--) {
      try {
        ModelManifest manifest = models.manifest(version).orElse(null);
        if (manifest != null && model.madeAs(manifest)) {
          return version;
        }
      } catch (IOException gone) {
        LOG.debug("{}: version {} cannot be read", key, version, gone);
      }
    }
    return 0;
  }

  /** A version with the files of its model, which may be those of the model in state. */
  static ServedVersion servedVersion(
      PublishedModels.ServedFiles found, @Nullable AcceptedModel model) {
    String digest = found.checkpoint().digest();
    ModelArtifact artifact =
        model != null && model.lineage().digest().equals(digest)
            ? model.artifact()
            : OnnxModel.withoutExport(new ModelArtifact(found.files()));
    ModelManifest manifest = found.checkpoint().manifest();
    long update = manifest.counts().getOrDefault("updateNumber", 0L);
    return new ServedVersion(manifest.version(), digest, update, artifact);
  }
}
