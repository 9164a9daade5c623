package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The version that a learner has to catch up with after a restore: it was published before the
 * restore, and its model has learned more than the restored one. Decides when the learner has
 * learned as much. For one thread.
 */
final class CatchUp {
  private final long version;
  private final SortedMap<String, Long> inputOffsets;
  private final long trainedNewSamples;
  private long lostOffsets = -1;
  private boolean inputLost;

  private CatchUp(ModelManifest serving) {
    version = serving.version();
    inputOffsets = serving.inputOffsets();
    trainedNewSamples = trained(serving);
  }

  /**
   * Returns what to catch up with; empty if the restored model has learned as much as the version
   * in service, or cannot be compared with it: it was made with settings with which the learner
   * could not go on, or the restored state knows no version.
   *
   * @param settings the learner's settings
   */
  static Optional<CatchUp> with(
      ModelManifest serving, AcceptedModel restored, ApplicationSettings settings) {
    boolean behind =
        restored.publishedVersion() > 0
            && serving.version() > restored.publishedVersion()
            && comparable(serving.attributes().get(SettingsIdentity.ATTRIBUTE), settings)
            && trained(serving) > restored.lineage().trainedNewSamples();
    return behind ? Optional.of(new CatchUp(serving)) : Optional.empty();
  }

  private static boolean comparable(@Nullable String identity, ApplicationSettings settings) {
    return identity != null
        && IdentityChange.between(SettingsIdentity.parse(identity), settings).refusals().isEmpty();
  }

  private static long trained(ModelManifest manifest) {
    return manifest.counts().getOrDefault("trainedNewSamples", 0L);
  }

  long version() {
    return version;
  }

  /**
   * Returns whether a model has learned as much as the version: it has trained on as many samples,
   * or has read as far and trained on all that there are. If input was lost since the restore, no
   * model can learn as much any more, and each one will do.
   *
   * @param nothingToTrain whether no other sample waits for training
   */
  boolean reachedBy(Lineage lineage, boolean nothingToTrain) {
    return inputLost
        || lineage.trainedNewSamples() >= trainedNewSamples
        || (nothingToTrain && readAsFar(lineage.inputOffsets()));
  }

  private boolean readAsFar(SortedMap<String, Long> offsets) {
    if (inputOffsets.isEmpty()) {
      // The positions of a stream are not known.
      return false;
    }
    for (Map.Entry<String, Long> each : inputOffsets.entrySet()) {
      if (offsets.getOrDefault(each.getKey(), -1L) < each.getValue()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether nothing is left to learn, so that there is nothing to wait for. */
  boolean over(InputProgress progress) {
    if (lostOffsets < 0) {
      lostOffsets = progress.lostOffsets();
    }
    inputLost |= progress.lostOffsets() > lostOffsets;
    return progress.nothingToTrain() && (progress.ending() || inputLost);
  }
}
