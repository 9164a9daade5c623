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
 * Finds out at the start of a learner which version serves, and whether that agrees with the model
 * in the learner's state. Changes nothing.
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

  /**
   * The relation of the model in state to the version in service, which can have changed while no
   * learner ran.
   */
  enum Standing {
    /**
     * The model serves or will serve, or another version serves for a reason that does not concern
     * the model.
     */
    IN_ORDER,
    /** The model was refused, and the state says so. */
    WITHHELD,
    /**
     * The model's version, or the version it was trained from, was replaced by an older one, and
     * the state does not say so: the process died after it had set a pin, or a user set one while
     * the learner was stopped.
     */
    PUT_BACK,
    /**
     * The model was published and rolled back, and the process died before the learner's state
     * recorded the publication or the rollback.
     */
    LEFT_UNRECORDED
  }

  /**
   * The version in service as a start of the learner found it.
   *
   * @param rowsKnown whether the rows with which the version was published are known
   * @param ofThisLineage whether the model in state is the version or was trained from it, so that
   *     the version was not trained on arriving samples
   * @param left the version that was rolled back, 0 if there is none
   */
  record Found(
      ServedVersion serves,
      boolean rowsKnown,
      boolean ofThisLineage,
      Standing standing,
      long left) {}

  /**
   * Reads from the model store which version serves, and compares it with the model in state.
   *
   * @param model model in state; null before the first
   * @param pending whether its publication is pending
   * @return empty if no version serves
   * @throws IOException if the store cannot be read
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
      // The state is newer than the rollback of a version.
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
      // This does not apply if a user has put a version in service that is newer than the version
      // that replaced the model.
      standing = Standing.WITHHELD;
    }
    return Optional.of(new Found(serves, rowsKnown, own, standing, left));
  }

  /**
   * Returns the version that was published from a model and rolled back since, while the state says
   * that its publication is pending; 0 if there is none.
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

  /**
   * Returns a version with the files of its model, which can be the files of the model in state.
   */
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
