package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelReaderContract;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.testkit.Tries;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

/** Reading through the SDK. */
final class S3ModelReaderTest extends ModelReaderContract {
  private final ServedStores stores = new ServedStores(3);

  @AfterEach
  void stop() {
    stores.close();
  }

  @Override
  protected ModelReader open(Path folder) throws IOException {
    return stores.open(folder, "reader");
  }

  @Override
  protected String addressOf(Path folder) throws IOException {
    return stores.address();
  }

  @Override
  protected ModelStore writer(Path folder) throws IOException {
    return stores.open(folder, "writer");
  }

  @Override
  protected Path file(Path folder, String location) {
    return stores.file(folder, location);
  }

  @Override
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return folder.resolve("some/where/app/0/current.json");
  }

  @Override
  protected Path partition(Path folder) {
    return folder.resolve("some/where/app/0");
  }

  @Override
  protected int publications() {
    return Tries.choose(15, 40);
  }

  @Override
  protected boolean publishersHavePointers() {
    return false;
  }
}
