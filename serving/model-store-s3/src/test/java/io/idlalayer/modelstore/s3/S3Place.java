package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.serve.ModelPlace;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;

/** An object store, reached through the S3 SDK. */
final class S3Place implements ModelPlace {
  private final ServedStores stores = new ServedStores(50);

  @Override
  public ModelReader reader(Path folder) throws IOException {
    return stores.open(folder, "reader");
  }

  @Override
  public ModelStore writer(Path folder, InstantSource clock) throws IOException {
    return new ModelStore(
        S3Bucket.open(stores.address(), ServedStores.settings(stores.server(folder))),
        clock,
        PublisherIdentity.ofThisProcess());
  }

  @Override
  public Path file(Path folder, String location) {
    return stores.file(folder, location);
  }

  @Override
  public Path pointer(Path folder, ModelPublisher publisher) {
    return folder.resolve("some/where/app/0/current.json");
  }

  @Override
  public int swaps() {
    return 30;
  }

  @Override
  public void close() {
    stores.close();
  }
}
