package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.http.ServedFolder;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

final class HttpModelReaderTest extends ModelReaderContract {
  private @Nullable ServedFolder served;

  private ServedFolder served(Path folder) throws IOException {
    ServedFolder open = served == null ? ServedFolder.open(folder) : served;
    served = open;
    return open;
  }

  @AfterEach
  void close() {
    if (served != null) {
      served.close();
    }
  }

  @Override
  protected ModelReader open(Path folder) throws IOException {
    return served(folder).reader();
  }

  @Override
  protected String addressOf(Path folder) {
    return served == null ? "" : served.address();
  }
}
