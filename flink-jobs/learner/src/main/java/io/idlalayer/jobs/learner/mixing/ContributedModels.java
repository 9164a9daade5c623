package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.PublishedRows;
import io.idlalayer.jobs.mixing.MixWork;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The contributions of a learner. Each contribution contains the model, and also the parameters of
 * the mixed version from which the model was trained. So no mixed version has to be kept for a
 * contribution.
 */
public final class ContributedModels implements PublishedModels {
  /**
   * Number of newest contributions that are kept, in addition to the contributions that a restore
   * from a checkpoint can need.
   */
  private static final int KEEP = 8;

  private final PublishedModels contributions;
  private final MixedLearning mixing;

  /**
   * @param contributions the place of the contributions
   */
  public ContributedModels(PublishedModels contributions, MixedLearning mixing) {
    this.contributions = contributions;
    this.mixing = mixing;
  }

  @Override
  public void claim() throws IOException {
    contributions.claim();
  }

  @Override
  public ModelCheckpoint publish(ModelDraft draft) throws IOException {
    byte[] adopted = mixing.adopted();
    if (adopted.length == 0) {
      return contributions.publish(draft);
    }
    SortedMap<String, byte[]> files = new TreeMap<>(draft.files());
    files.put(MixWork.ADOPTED_FILE, adopted);
    return contributions.publish(
        new ModelDraft(
            draft.application(),
            draft.partition(),
            draft.minimumVersion(),
            draft.parentVersion(),
            draft.parentDigest(),
            draft.inputOffsets(),
            draft.counts(),
            draft.metrics(),
            draft.attributes(),
            files,
            draft.copied()));
  }

  @Override
  public Optional<ModelCheckpoint> current() throws IOException {
    return contributions.current();
  }

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) throws IOException {
    Set<Long> all = new HashSet<>(needed);
    all.addAll(mixing.neededContributions());
    return contributions.cleanUp(Math.max(KEEP, keep), all);
  }

  @Override
  public void forget(long before) throws IOException {
    contributions.forget(before);
  }

  @Override
  public void rollBack(long version, String digest, long left, String reason) throws IOException {
    contributions.rollBack(version, digest, left, reason);
  }

  @Override
  public Optional<Pin> pin() throws IOException {
    return contributions.pin();
  }

  @Override
  public Optional<ServedFiles> inService() throws IOException {
    return contributions.inService();
  }

  @Override
  public Optional<ModelManifest> manifest(long version) throws IOException {
    return contributions.manifest(version);
  }

  @Override
  public Optional<PublishedRows> rows() {
    return contributions.rows();
  }

  @Override
  public boolean owesRows() {
    return mixing.owesRows();
  }

  @Override
  public boolean keepsRowChanges() {
    return true;
  }
}
