package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import java.util.stream.Stream;

/** The mixed versions of an application in model stores. */
public final class StoredMixedModels implements MixedModels {
  private final ModelStore models;
  private final ModelStore contributions;
  private final String application;
  private final int partitions;

  /**
   * @param contributions place of the contributions, where versions for learners only lie too
   * @param partitions number of learners
   */
  public StoredMixedModels(
      ModelStore models, ModelStore contributions, String application, int partitions) {
    this.models = models;
    this.contributions = contributions;
    this.application = application;
    this.partitions = partitions;
  }

  @Override
  public String incarnation() {
    return UUID.randomUUID().toString();
  }

  @Override
  public List<ModelCheckpoint> newest() throws IOException {
    return Stream.concat(
            models.current(application, 0).stream(),
            contributions.current(application, partitions).stream())
        .toList();
  }

  @Override
  public SortedMap<String, byte[]> load(ModelCheckpoint version) throws IOException {
    return (version.manifest().partition() == 0 ? models : contributions).load(version);
  }
}
