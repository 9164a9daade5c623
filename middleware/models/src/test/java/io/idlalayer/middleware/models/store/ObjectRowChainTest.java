package io.idlalayer.middleware.models.store;

import java.nio.file.Path;
import java.time.InstantSource;

/** Versions that need the rows of versions before them, in an object store. */
final class ObjectRowChainTest extends RowChainContract {
  @Override
  protected ModelStore open(Path folder) {
    return new ModelStore(
        new FolderBucket(folder), InstantSource.system(), PublisherIdentity.ofThisProcess());
  }

  @Override
  protected Path file(Path folder, String location) {
    return new FolderBucket(folder).file(location);
  }

  @Override
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return folder.resolve("app/0/current.json");
  }
}
