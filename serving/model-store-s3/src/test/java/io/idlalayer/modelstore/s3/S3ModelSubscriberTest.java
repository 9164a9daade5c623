package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.serve.ModelSubscriberTest;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;

/** All that a subscriber does, with an object store. */
final class S3ModelSubscriberTest extends ModelSubscriberTest {
  private final ServedStores stores = new ServedStores(50);

  @AfterEach
  void stop() {
    stores.close();
  }

  @Override
  protected ModelReader reader(Path folder) throws IOException {
    return stores.open(folder, "reader");
  }

  @Override
  protected ModelStore writer(Path folder, InstantSource clock) throws IOException {
    return new ModelStore(
        S3Bucket.open(stores.address(), ServedStores.settings(stores.server(folder))),
        clock,
        PublisherIdentity.ofThisProcess());
  }

  @Override
  protected Path file(Path folder, String location) {
    return stores.file(folder, location);
  }

  @Override
  protected int swaps() {
    return 30;
  }

  @Override
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return folder.resolve("some/where/app/0/current.json");
  }
}
