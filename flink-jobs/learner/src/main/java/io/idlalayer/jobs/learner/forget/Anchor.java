package io.idlalayer.jobs.learner.forget;

import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import org.jspecify.annotations.Nullable;

/**
 * An earlier model of a learner, from which updates can be trained again.
 *
 * @param update number of the update that made the model; 0 before the first update
 * @param artifact files of the model, with the state of the updater and the scaler; null if there
 *     is no model, so that the next training begins with a new network
 * @param version last published version of the model's lineage; 0 if there is none
 * @param digest digest of this version's manifest; "" if there is none
 */
public record Anchor(long update, @Nullable ModelArtifact artifact, long version, String digest) {
  /** No model: the next training begins with a new network. */
  public static final Anchor BEGINNING = new Anchor(0, null, 0, "");

  /**
   * Returns the anchor of a learner's model.
   *
   * @param model null if there is none
   * @param updates number of updates that were accepted so far; used if {@code model} is null
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
