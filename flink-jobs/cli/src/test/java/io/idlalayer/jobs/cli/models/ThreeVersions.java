package io.idlalayer.jobs.cli.models;

import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.Map;

/** Three versions of the application clicks, and more on demand. */
final class ThreeVersions {
  final ModelStore store;
  private final ModelPublisher publisher;

  ThreeVersions(ModelStore store) throws IOException {
    this.store = store;
    publisher = store.claim("clicks", 0);
    for (int i = 0; i < 3; i++) {
      publish();
    }
  }

  void publish() throws IOException {
    publisher.publish(Drafts.of("clicks", Map.of("model.zip", new byte[] {1})));
  }

  long serving() throws IOException {
    return store.serving("clicks", 0).orElseThrow().checkpoint().manifest().version();
  }
}
