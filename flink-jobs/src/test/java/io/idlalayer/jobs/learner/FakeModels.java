package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelManifest;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Published models on the heap, all of them for ever, where publishing may fail. */
final class FakeModels implements PublishedModels {
  /** A version as an outsider finds it: manifest, digest and what the model was trained on. */
  record Version(ModelManifest manifest, String digest, List<Long> lineage) {}

  final List<Version> versions = new ArrayList<>();
  private final BooleanSupplier fails;

  FakeModels(BooleanSupplier fails) {
    this.fails = fails;
  }

  @Override
  public void claim() {}

  @Override
  public ModelCheckpoint publish(ModelDraft draft) throws IOException {
    if (fails.getAsBoolean()) {
      throw new IOException("no space left on device");
    }
    long newest = versions.isEmpty() ? 0 : versions.get(versions.size() - 1).manifest().version();
    long version = Math.max(draft.minimumVersion(), newest + 1);
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
    List<Long> lineage = LineageTrainer.read(draft.files().get(LineageTrainer.FILE));
    Version published = new Version(manifest, "digest-" + versions.size(), lineage);
    versions.add(published);
    return checkpoint(published);
  }

  private static ModelCheckpoint checkpoint(Version version) {
    return new ModelCheckpoint(Path.of("nowhere"), version.manifest(), version.digest());
  }

  @Override
  public Optional<ModelCheckpoint> current() {
    return versions.isEmpty()
        ? Optional.empty()
        : Optional.of(checkpoint(versions.get(versions.size() - 1)));
  }

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep) {
    return new ModelPublisher.CleanUp(0, List.of());
  }
}
