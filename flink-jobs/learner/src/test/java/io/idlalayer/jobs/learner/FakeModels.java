package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelManifest;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Published models on the heap, all of them for ever, where publishing may fail. */
final class FakeModels implements PublishedModels {
  /** A version as an outsider finds it: manifest, digest and what the model was trained on. */
  record Version(ModelManifest manifest, String digest, List<Long> lineage) {}

  final List<Version> versions = new ArrayList<>();
  private final UnstoredModels numbers = new UnstoredModels();
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
    ModelCheckpoint done = numbers.publish(draft);
    List<Long> lineage = FakeLineageTrainer.read(draft.files().get(FakeLineageTrainer.FILE));
    versions.add(new Version(done.manifest(), done.digest(), lineage));
    return done;
  }

  @Override
  public Optional<ModelCheckpoint> current() {
    return numbers.current();
  }

  @Override
  public void rollBack(long version, String digest, long left, String reason) {}

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) {
    return numbers.cleanUp(keep, needed);
  }
}
