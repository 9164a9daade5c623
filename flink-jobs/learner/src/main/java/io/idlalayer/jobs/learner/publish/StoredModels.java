package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The models of an application partition in a model store, with their rows. Claims the publisher's
 * place when the place is first needed. Thread-safe as far as the interfaces require.
 */
public final class StoredModels implements PublishedModels, PublishedRows {
  private final ModelStore store;
  private final String application;
  private final int partition;
  private final Path temporary;

  // Guarded by this object.
  private @Nullable ModelPublisher publisher;
  private boolean swept;

  /**
   * @param local folder for temporary files, on this machine or mounted here
   */
  public StoredModels(ModelStore store, Path local, String application, int partition) {
    this.store = store;
    this.application = application;
    this.partition = partition;
    temporary = local.resolve(".rows").resolve(application).resolve(Integer.toString(partition));
  }

  @Override
  public void claim() throws IOException {
    publisher();
  }

  private synchronized ModelPublisher publisher() throws IOException {
    ModelPublisher mine = publisher;
    if (mine == null) {
      mine = store.claim(application, partition);
      publisher = mine;
    }
    return mine;
  }

  @Override
  public ModelCheckpoint publish(ModelDraft draft) throws IOException {
    return publisher().publish(draft);
  }

  @Override
  public Optional<ModelCheckpoint> current() throws IOException {
    return store.current(application, partition);
  }

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) throws IOException {
    return publisher().cleanUp(keep, needed);
  }

  @Override
  public void forget(long before) throws IOException {
    publisher().forget(before);
  }

  @Override
  public void rollBack(long version, String digest, long left, String reason) throws IOException {
    publisher().rollBack(version, digest, left, reason);
  }

  @Override
  public Optional<Pin> pin() throws IOException {
    return store.pin(application, partition);
  }

  @Override
  public Optional<ServedFiles> inService() throws IOException {
    Optional<ModelReader.Serving> serving = store.serving(application, partition);
    if (serving.isEmpty()) {
      return Optional.empty();
    }
    ModelCheckpoint checkpoint = serving.get().checkpoint();
    return Optional.of(new ServedFiles(checkpoint, store.load(checkpoint), serving.get().pin()));
  }

  @Override
  public Optional<ModelManifest> manifest(long version) throws IOException {
    return Optional.of(store.read(application, partition, version).manifest());
  }

  @Override
  public Optional<PublishedRows> rows() {
    return Optional.of(this);
  }

  @Override
  public List<ModelCheckpoint> chain(long version, String digest) throws IOException {
    return publisher().chain(version, digest);
  }

  @Override
  public InputStream open(ModelCheckpoint version) throws IOException {
    return store.open(version);
  }

  @Override
  public synchronized Path folder() throws IOException {
    Files.createDirectories(temporary);
    if (!swept) {
      try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(temporary)) {
        for (Path leftover : leftovers) {
          Files.deleteIfExists(leftover);
        }
      }
      swept = true;
    }
    return temporary;
  }
}
