package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Makes the attempts to publish models with their rows. Called by the trainer thread. */
final class PublicationAttempt {
  private final PublishedModels models;
  private final VersionDrafts drafts;
  private final @Nullable PublishedRows place;

  /**
   * @param place place of the rows; null if models have no rows
   */
  PublicationAttempt(PublishedModels models, VersionDrafts drafts, @Nullable PublishedRows place) {
    this.models = models;
    this.drafts = drafts;
    this.place = place;
  }

  /**
   * Makes one attempt to publish a model.
   *
   * @param full file with all rows, which the attempt deletes; null if changes suffice, or if that
   *     is not known yet
   * @param otherRowsUpTo last version whose rows are of other tables; 0 if there is none
   * @throws FullRowsNeededException if the learner must write all rows
   * @throws IOException if the medium fails
   */
  ModelCheckpoint publish(
      AcceptedModel accepted,
      long minimumVersion,
      VersionDrafts.Facts facts,
      @Nullable Path full,
      long otherRowsUpTo)
      throws IOException {
    PublishedRows rowsPlace = place;
    if (rowsPlace == null) {
      return models.publish(drafts.of(accepted, minimumVersion, facts, null));
    }
    try (DraftRows rows =
        new RowPublication(rowsPlace, otherRowsUpTo)
            .prepare(
                accepted.training().parentVersion(),
                accepted.lineage().parentDigest(),
                accepted.rowChanges(),
                accepted.artifact().files().containsKey(ModelArtifact.START_FILE),
                full)) {
      DraftRows wanted = models.keepsRowChanges() ? rows : rows.beside(null);
      return models.publish(drafts.of(accepted, minimumVersion, facts, wanted));
    }
  }
}
