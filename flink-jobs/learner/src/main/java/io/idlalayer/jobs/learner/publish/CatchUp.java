package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The version with which a learner has to catch up after a restore. It was published before the
 * restore, and its model has learned more events than the restored model, or has forgotten samples
 * that the restored model has not. Decides when the learner has learned and forgotten as much as
 * this version. Confined to one thread.
 */
final class CatchUp {
  private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);

  private final long version;
  private final SortedMap<String, Long> inputOffsets;
  private final long trainedNewSamples;
  private final Set<Long> forgottenEvents;
  private long lostOffsets = -1;
  private boolean inputLost;

  private CatchUp(ModelManifest serving, Set<Long> forgottenEvents) {
    version = serving.version();
    inputOffsets = serving.inputOffsets();
    trainedNewSamples = trained(serving);
    this.forgottenEvents = forgottenEvents;
  }

  /**
   * Returns the version with which a learner has to catch up; null if there is none, or if the
   * version in service cannot be read and the application forgets no samples. If people have pinned
   * a version, the learner need not catch up, because the pin is their decision, unless the version
   * in service has forgotten samples that the restored model has not.
   *
   * @param restored the restored model; null if the restored state has none
   * @param givenUp newest version that was in service when the learner began without state; the
   *     learner need not catch up with versions up to this one; 0 if there is none
   * @throws UncheckedIOException if the version in service cannot be read and has possibly
   *     forgotten samples that the restored model has not
   */
  static @Nullable CatchUp find(
      PublishedModels models,
      LearnerIdentity learner,
      @Nullable AcceptedModel restored,
      Forgotten forgotten,
      long givenUp) {
    try {
      ModelCheckpoint serving = models.current().orElse(null);
      if (serving == null || serving.manifest().version() <= givenUp) {
        return null;
      }
      return with(serving.manifest(), restored, forgotten, learner.settings())
          .filter(found -> !found.forgottenBy(forgotten) || !pinned(models, learner, serving))
          .orElse(null);
    } catch (IOException unreadable) {
      if (learner.settings().data().forget().on()) {
        throw new UncheckedIOException(
            "%s: the list of samples that the version in service has forgotten cannot be read, so no other version may take its place: repair the store of models, or leave selection.forget out (%s)"
                .formatted(learner.key().text(), unreadable.getMessage()),
            unreadable);
      }
      LOG.warn(
          "{}: the version in service cannot be read, so the next model is published whatever it"
              + " has learned",
          learner.key(),
          unreadable);
      return null;
    }
  }

  private static boolean pinned(
      PublishedModels models, LearnerIdentity learner, ModelCheckpoint serving) {
    try {
      return models.pin().filter(pin -> pin.holds(serving.manifest().version())).isPresent();
    } catch (IOException unreadable) {
      LOG.warn("{}: it cannot be read whether a version is pinned", learner.key(), unreadable);
      return false;
    }
  }

  /**
   * Returns the version to catch up with. Empty if the restored model has learned and forgotten as
   * much as the version in service. Also empty if the two cannot be compared, because the version
   * was made with settings with which the learner cannot continue, or because the restored state
   * knows no version.
   *
   * @param forgotten what the restored model has forgotten
   * @param settings the learner's settings
   */
  private static Optional<CatchUp> with(
      ModelManifest serving,
      @Nullable AcceptedModel restored,
      Forgotten forgotten,
      ApplicationSettings settings)
      throws IOException {
    Set<Long> events = forgotten(serving);
    boolean behind =
        serving.version() > (restored == null ? 0 : restored.publishedVersion())
            && comparable(serving.attributes().get(SettingsIdentity.ATTRIBUTE), settings)
            && (learnedMore(serving, restored) || !forgotten.events().containsAll(events));
    return behind ? Optional.of(new CatchUp(serving, events)) : Optional.empty();
  }

  private static boolean learnedMore(ModelManifest serving, @Nullable AcceptedModel restored) {
    return restored != null
        && restored.publishedVersion() > 0
        && trained(serving) > restored.lineage().trainedNewSamples();
  }

  private static boolean comparable(@Nullable String identity, ApplicationSettings settings) {
    return identity != null
        && IdentityChange.between(SettingsIdentity.parse(identity), settings).refusals().isEmpty();
  }

  private static long trained(ModelManifest manifest) {
    return manifest.counts().getOrDefault("trainedNewSamples", 0L);
  }

  private static Set<Long> forgotten(ModelManifest manifest) throws IOException {
    try {
      return Forgotten.events(
          manifest.attributes().getOrDefault(VersionDrafts.FORGOTTEN_EVENTS, ""));
    } catch (IllegalArgumentException damaged) {
      throw new IOException(
          "attribute %s of the manifest of version %d is damaged"
              .formatted(VersionDrafts.FORGOTTEN_EVENTS, manifest.version()),
          damaged);
    }
  }

  long version() {
    return version;
  }

  /**
   * Returns whether a model has learned as much as the version: the model was trained on as many
   * samples, or the learner has read as far in the input and has trained on all its samples. If
   * input was lost since the restore, no model can learn as much any more, so every model counts as
   * having learned enough.
   *
   * <p>If a model has not forgotten all samples that the version has forgotten, this method returns
   * false, because the model has possibly learned from such a sample.
   *
   * @param nothingToTrain whether no other sample waits for training
   */
  boolean reachedBy(Lineage lineage, Forgotten forgotten, boolean nothingToTrain) {
    boolean learned =
        inputLost
            || lineage.trainedNewSamples() >= trainedNewSamples
            || (nothingToTrain && readAsFar(lineage.inputOffsets()));
    return learned && forgottenBy(forgotten);
  }

  /** Returns whether a model has forgotten all that the version has forgotten. */
  boolean forgottenBy(Forgotten forgotten) {
    return forgotten.events().containsAll(forgottenEvents);
  }

  private boolean readAsFar(SortedMap<String, Long> offsets) {
    if (inputOffsets.isEmpty()) {
      // The positions in a stream are not known.
      return false;
    }
    for (Map.Entry<String, Long> each : inputOffsets.entrySet()) {
      if (offsets.getOrDefault(each.getKey(), -1L) < each.getValue()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether nothing is left to learn, so that waiting has no purpose. */
  boolean over(InputProgress progress, Forgotten forgotten) {
    if (lostOffsets < 0) {
      lostOffsets = progress.lostOffsets();
    }
    inputLost |= progress.lostOffsets() > lostOffsets;
    return progress.nothingToTrain() && (progress.ending() || inputLost) && forgottenBy(forgotten);
  }
}
