package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** Published models whose medium fails the first times that an older version is to serve again. */
final class FaultyModels implements PublishedModels {
  private final PublishedModels real;
  private int failures;
  private long lostAnswer;

  /**
   * @param failures number of failures
   */
  FaultyModels(PublishedModels real, int failures) {
    this.real = real;
    this.failures = failures;
  }

  /** Publishes a version and reports to its publisher that this failed. */
  FaultyModels losingTheAnswer(long version) {
    lostAnswer = version;
    return this;
  }

  @Override
  public void claim() throws IOException {
    real.claim();
  }

  @Override
  public ModelCheckpoint publish(ModelDraft draft) throws IOException {
    ModelCheckpoint done = real.publish(draft);
    if (done.manifest().version() == lostAnswer) {
      throw new IOException("the answer is lost");
    }
    return done;
  }

  @Override
  public Optional<ModelCheckpoint> current() throws IOException {
    return real.current();
  }

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) throws IOException {
    return real.cleanUp(keep, needed);
  }

  @Override
  public void rollBack(long version, String digest, long left, String reason) throws IOException {
    if (failures > 0) {
      failures--;
      throw new IOException("the disk is away");
    }
    real.rollBack(version, digest, left, reason);
  }

  @Override
  public Optional<Pin> pin() throws IOException {
    return real.pin();
  }

  @Override
  public Optional<ModelManifest> manifest(long version) throws IOException {
    return real.manifest(version);
  }

  @Override
  public Optional<ServedFiles> inService() throws IOException {
    return real.inService();
  }
}
