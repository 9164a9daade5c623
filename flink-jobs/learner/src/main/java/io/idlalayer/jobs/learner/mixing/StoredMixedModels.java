package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.mixing.MixingPlace;
import io.idlalayer.jobs.mixing.StoredMixing;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
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
   * @param contributions place of the contributions, which also has the versions that are only for
   *     learners
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
            models.current(application, 0).stream(), current(MixingPlace.Kind.WITHHELD).stream())
        .toList();
  }

  private Optional<ModelCheckpoint> current(MixingPlace.Kind kind) throws IOException {
    return contributions.current(application, StoredMixing.partition(kind, partitions));
  }

  @Override
  public Optional<ModelCheckpoint> candidate() throws IOException {
    return current(MixingPlace.Kind.CANDIDATE);
  }

  @Override
  public Optional<ModelCheckpoint> verdict() throws IOException {
    return current(MixingPlace.Kind.VERDICT);
  }

  @Override
  public SortedMap<String, byte[]> load(ModelCheckpoint version) throws IOException {
    return (version.manifest().partition() == 0 ? models : contributions).load(version);
  }
}
