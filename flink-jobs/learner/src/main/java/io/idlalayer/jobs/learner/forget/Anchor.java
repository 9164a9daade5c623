package io.idlalayer.jobs.learner.forget;

import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import org.jspecify.annotations.Nullable;

/**
 * An earlier model of a learner, from which updates can be trained again.
 *
 * @param update number of the update that made it; 0 before the first
 * @param artifact its files, with the state of the updater and the scaler; null for no model, so
 *     that the next training begins with a new network
 * @param version last version that was published of its lineage; 0 for none
 * @param digest digest of that version's manifest; "" for none
 */
public record Anchor(long update, @Nullable ModelArtifact artifact, long version, String digest) {
  /** No model: the next training begins with a new network. */
  public static final Anchor BEGINNING = new Anchor(0, null, 0, "");

  /**
   * Returns the anchor of a learner's model.
   *
   * @param model null if there is none
   * @param updates number of updates that were accepted before, for no model
   */
  public static Anchor of(@Nullable AcceptedModel model, long updates) {
    return model == null
        ? new Anchor(updates, null, 0, "")
        : new Anchor(
            model.update().number(),
            model.artifact(),
            model.publishedVersion(),
            model.lineage().publishedDigest());
  }
}
