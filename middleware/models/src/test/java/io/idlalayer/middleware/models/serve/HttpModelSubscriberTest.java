package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.http.ServedFolder;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** All that a subscriber does, over HTTP. */
final class HttpModelSubscriberTest extends ModelSubscriberTest {
  private final List<ServedFolder> servers = new ArrayList<>();

  @Override
  protected ModelReader reader(Path folder) throws IOException {
    ServedFolder served = ServedFolder.open(folder);
    servers.add(served);
    return served.reader();
  }

  @AfterEach
  void stop() {
    servers.forEach(ServedFolder::close);
  }
}
