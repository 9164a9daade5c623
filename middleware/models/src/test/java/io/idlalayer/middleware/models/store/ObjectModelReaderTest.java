package io.idlalayer.middleware.models.store;

import java.nio.file.Path;
import java.time.InstantSource;

/** Reading from an object store. */
final class ObjectModelReaderTest extends ModelReaderContract {
  @Override
  protected ModelReader open(Path folder) {
    return writer(folder);
  }

  @Override
  protected String addressOf(Path folder) {
    return new FolderBucket(folder).address();
  }

  @Override
  protected ModelStore writer(Path folder) {
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

  @Override
  protected boolean publishersHavePointers() {
    return false;
  }
}
