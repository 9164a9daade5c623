package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a learner needs of the place where its models are published. Opened by the operator's
 * thread, then called by the trainer thread.
 */
public interface PublishedModels {
  /**
   * Takes the publisher's place, so that an older publisher is refused from now on.
   *
   * @throws IOException if the medium fails; the first publication tries again
   */
  void claim() throws IOException;

  /**
   * Publishes a model; it is durable and current when this returns.
   *
   * @throws io.idlalayer.middleware.models.store.FencedPublisherException if another publisher has
   *     the place
   * @throws IOException if the medium fails; the version that was current stays so
   */
  ModelCheckpoint publish(ModelDraft draft) throws IOException;

  /** The version in service, empty before the first. */
  Optional<ModelCheckpoint> current() throws IOException;

  /**
   * Deletes all but the newest versions; what cannot be deleted is passed over.
   *
   * @throws IOException if the folder cannot be looked at
   */
  ModelPublisher.CleanUp cleanUp(int keep) throws IOException;

  /** Those of an application partition in a model store. */
  static PublishedModels in(ModelStore store, String application, int partition) {
    return new PublishedModels() {
      private @Nullable ModelPublisher publisher;

      @Override
      public void claim() throws IOException {
        publisher();
      }

      private synchronized ModelPublisher publisher() throws IOException {
        ModelPublisher mine = publisher;
        if (mine == null) {
          mine = store.claim(application, partition);
          publisher = mine;
        }
        return mine;
      }

      @Override
      public ModelCheckpoint publish(ModelDraft draft) throws IOException {
        return publisher().publish(draft);
      }

      @Override
      public Optional<ModelCheckpoint> current() throws IOException {
        return store.current(application, partition);
      }

      @Override
      public ModelPublisher.CleanUp cleanUp(int keep) throws IOException {
        return publisher().cleanUp(keep, Set.of());
      }
    };
  }
}
