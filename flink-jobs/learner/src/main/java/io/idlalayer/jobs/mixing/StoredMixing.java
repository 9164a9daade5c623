package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The contributions and the mixed versions of an application in model stores. Claims the
 * publisher's place before it first publishes, so that an older mixer of the application is refused
 * from then on.
 */
public final class StoredMixing implements MixingPlace {
  private static final Logger LOG = LoggerFactory.getLogger(StoredMixing.class);

  private final ModelStore models;
  private final ModelStore contributions;
  private final String application;
  private final int partitions;
  private final int keep;
  private @Nullable ModelPublisher publisher;
  private @Nullable ModelPublisher withholder;

  /**
   * @param contributions place of the contributions; versions that do not serve lie beside them
   * @param partitions number of learners
   * @param keep number of newest versions that stay
   */
  public StoredMixing(
      ModelStore models, ModelStore contributions, String application, int partitions, int keep) {
    this.models = models;
    this.contributions = contributions;
    this.application = application;
    this.partitions = partitions;
    this.keep = keep;
  }

  private ModelPublisher publisher() throws IOException {
    ModelPublisher mine = publisher;
    if (mine == null) {
      mine = models.claim(application, 0);
      publisher = mine;
    }
    return mine;
  }

  @Override
  public Contribution contribution(int partition, long version, String digest) throws IOException {
    ModelCheckpoint found = contributions.read(application, partition, version);
    if (!found.digest().equals(digest)) {
      throw new CorruptModelException(
          "%s has digest %s, and %s is expected"
              .formatted(found.location(), found.digest(), digest));
    }
    return new Contribution(found.manifest(), contributions.load(found));
  }

  @Override
  public Optional<ModelCheckpoint> current() throws IOException {
    publisher();
    return models.current(application, 0);
  }

  @Override
  public ModelCheckpoint publish(ModelDraft draft) throws IOException {
    return publisher().publish(draft);
  }

  @Override
  public ModelCheckpoint withhold(ModelDraft draft) throws IOException {
    ModelPublisher mine = withholder;
    if (mine == null) {
      mine = contributions.claim(application, partitions);
      withholder = mine;
    }
    return mine.publish(draft);
  }

  @Override
  public int withheldPartition() {
    return partitions;
  }

  @Override
  public void cleanUp() {
    try {
      publisher().cleanUp(keep, Set.of());
      ModelPublisher other = withholder;
      if (other != null) {
        other.cleanUp(keep, Set.of());
      }
    } catch (IOException failed) {
      LOG.warn("old versions of {} could not be deleted", application, failed);
    }
  }
}
