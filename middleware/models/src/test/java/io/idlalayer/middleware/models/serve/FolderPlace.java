package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;

/** A model folder. */
class FolderPlace implements ModelPlace {
  @Override
  public ModelReader reader(Path folder) throws IOException {
    return new ModelStore(folder, InstantSource.system());
  }

  @Override
  public ModelStore writer(Path folder, InstantSource clock) throws IOException {
    return new ModelStore(folder, clock);
  }

  @Override
  public Path file(Path folder, String location) {
    return Path.of(location);
  }

  @Override
  public Path pointer(Path folder, ModelPublisher publisher) {
    return Drafts.pointer(folder.resolve("app/0"), publisher);
  }

  @Override
  public int swaps() {
    return 120;
  }

  @Override
  public void close() {}
}
