package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;

/** The mixed versions of an application in a model store. */
public final class StoredMixedModels implements MixedModels {
  private final ModelStore store;
  private final String application;

  public StoredMixedModels(ModelStore store, String application) {
    this.store = store;
    this.application = application;
  }

  @Override
  public String incarnation() {
    return UUID.randomUUID().toString();
  }

  @Override
  public Optional<ModelCheckpoint> current() throws IOException {
    return store.current(application, 0);
  }

  @Override
  public SortedMap<String, byte[]> load(ModelCheckpoint version) throws IOException {
    return store.load(version);
  }
}
