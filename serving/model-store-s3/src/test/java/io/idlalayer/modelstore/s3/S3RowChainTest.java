package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.RowChainContract;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

/** Versions that need the rows of versions before them, through the SDK. */
final class S3RowChainTest extends RowChainContract {
  private final ServedStores stores = new ServedStores(3);

  @AfterEach
  void stop() {
    stores.close();
  }

  @Override
  protected ModelStore open(Path folder) throws IOException {
    return stores.open(folder, "publisher");
  }

  @Override
  protected Path file(Path folder, String location) {
    return stores.file(folder, location);
  }

  @Override
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return folder.resolve("some/where/app/0/current.json");
  }
}
