package io.idlalayer.jobs.operator;

import io.idlalayer.middleware.checkpoint.ModelCheckpoint;
import io.idlalayer.middleware.checkpoint.ModelDraft;
import io.idlalayer.middleware.checkpoint.ModelStore;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** What a learner needs of the place where models are published. Called by the trainer thread. */
interface PublishedModels {
  /**
   * Publishes a model; it is durable and current when this returns.
   *
   * @throws IOException if the medium fails; the version that was current stays so
   */
  ModelCheckpoint publish(ModelDraft draft) throws IOException;

  /** The version in service, empty before the first. */
  Optional<ModelCheckpoint> current(String application, int partition) throws IOException;

  /** Deletes all but the newest versions. */
  void retain(String application, int partition, int keep) throws IOException;

  /** Those in a model store. */
  static PublishedModels in(ModelStore store) {
    return new PublishedModels() {
      @Override
      public ModelCheckpoint publish(ModelDraft draft) throws IOException {
        return store.publish(draft);
      }

      @Override
      public Optional<ModelCheckpoint> current(String application, int partition)
          throws IOException {
        return store.current(application, partition);
      }

      @Override
      public void retain(String application, int partition, int keep) throws IOException {
        store.retain(application, partition, keep, Set.of());
      }
    };
  }
}
