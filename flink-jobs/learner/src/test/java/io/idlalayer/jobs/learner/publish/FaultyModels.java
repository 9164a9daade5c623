package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Published models whose medium fails when a test says so. */
public final class FaultyModels implements PublishedModels {
  private final PublishedModels real;
  private BooleanSupplier full = () -> false;
  private BooleanSupplier owing = () -> false;
  private int failingRollBacks;
  private long lostAnswer;

  public FaultyModels(PublishedModels real) {
    this.real = real;
  }

  /** Nothing can be published while this is so. */
  public FaultyModels full(BooleanSupplier now) {
    full = now;
    return this;
  }

  /** The rows of the accepted model are in no version while this is so. */
  public FaultyModels owing(BooleanSupplier now) {
    owing = now;
    return this;
  }

  @Override
  public boolean owesRows() {
    return owing.getAsBoolean();
  }

  /** The first times that an older version is to serve again fail. */
  public FaultyModels failingRollBacks(int times) {
    failingRollBacks = times;
    return this;
  }

  /** Publishes a version and reports to its publisher that this failed. */
  public FaultyModels losingTheAnswer(long version) {
    lostAnswer = version;
    return this;
  }

  @Override
  public void claim() throws IOException {
    real.claim();
  }

  @Override
  public ModelCheckpoint publish(ModelDraft draft) throws IOException {
    if (full.getAsBoolean()) {
      throw new IOException("no space left on device");
    }
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
  public void forget(long before) throws IOException {
    real.forget(before);
  }

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) throws IOException {
    return real.cleanUp(keep, needed);
  }

  @Override
  public void rollBack(long version, String digest, long left, String reason) throws IOException {
    if (failingRollBacks > 0) {
      failingRollBacks--;
      throw new IOException("the disk is away");
    }
    real.rollBack(version, digest, left, reason);
  }

  @Override
  public Optional<PublishedRows> rows() {
    return real.rows();
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
