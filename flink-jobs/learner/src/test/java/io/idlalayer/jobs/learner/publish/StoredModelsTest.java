package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.io.TempDir;

final class StoredModelsTest extends PublishedModelsContract {
  @TempDir Path folder;

  @Override
  protected PublishedModels open() {
    return new StoredModels(new ModelStore(folder, InstantSource.system()), folder, "app", 0);
  }
}
