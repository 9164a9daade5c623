package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Numbers versions and remembers the manifest of the newest; files are not stored. */
class UnstoredModels implements PublishedModels {
  private static final String NOWHERE = "unstored";

  private @Nullable ModelCheckpoint newest;

  @Override
  public void claim() {}

  @Override
  public ModelCheckpoint publish(ModelDraft draft) {
    ModelCheckpoint before = newest;
    long next = before == null ? 1 : before.manifest().version() + 1;
    long version = Math.max(draft.minimumVersion(), next);
    ModelManifest manifest =
        new ModelManifest(
            ModelManifest.FORMAT_VERSION,
            draft.application(),
            draft.partition(),
            version,
            draft.parentVersion(),
            draft.parentDigest(),
            0,
            draft.inputOffsets(),
            draft.counts(),
            draft.metrics(),
            draft.attributes(),
            List.of());
    ModelCheckpoint published = new ModelCheckpoint(NOWHERE, manifest, "digest-" + version);
    newest = published;
    return published;
  }

  @Override
  public Optional<ModelCheckpoint> current() {
    return Optional.ofNullable(newest);
  }

  /** No version serves from here. */
  @Override
  public void rollBack(long version, String digest, long left, String reason) {}

  @Override
  public void forget(long before) {}

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) {
    return new ModelPublisher.CleanUp(0, List.of());
  }
}
