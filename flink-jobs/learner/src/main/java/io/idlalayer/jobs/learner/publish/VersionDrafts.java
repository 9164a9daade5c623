package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.modelloader.network.Dl4jRuntime;
import io.idlalayer.modelloader.onnx.OnnxModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Creates the draft of a version from an accepted model: its files and the contents of its
 * manifest.
 */
public final class VersionDrafts {
  /**
   * Name of the manifest's attribute that says that a version was not trained from the version
   * before it.
   */
  public static final String BRANCH = "branch";

  /** Attribute of a version that was learned from a stream without positions. */
  static final String INPUT = "input";

  private static final String UNKNOWN_POSITIONS =
      "a stream without positions: lost input, repeated deliveries and offsets are not known";

  private final LearnerIdentity learner;
  private final PublishedModels models;
  private final Status.Engine engine;
  private final String settingsJson;
  private final String settingsDigest;
  private @Nullable String runtime;

  /**
   * @param engine engine of the trainer
   */
  VersionDrafts(LearnerIdentity learner, PublishedModels models, Status.Engine engine) {
    this.learner = learner;
    this.models = models;
    this.engine = engine;
    SettingsIdentity identity = SettingsIdentity.of(learner.settings());
    settingsJson = identity.json();
    settingsDigest = identity.digest();
  }

  /**
   * Creates the draft of the version that an accepted model is published as. Called by the trainer
   * thread.
   *
   * @param finding finding of the release gate
   * @param rows rows of the model's tables; null if it has none
   */
  ModelDraft of(
      AcceptedModel accepted,
      long minimumVersion,
      Finding finding,
      RowPublication.@Nullable Rows rows)
      throws IOException {
    ApplicationSettings settings = learner.settings();
    UpdateRecord update = accepted.update();
    UpdateRecord.Firing firing = update.firing();
    UpdateRecord.Training training = accepted.training();
    TreeMap<String, Long> counts = new TreeMap<>();
    counts.put("updateNumber", update.number());
    counts.put("newSamples", (long) firing.newSamples());
    counts.put("replayedSamples", (long) firing.replayedSamples());
    counts.put("trainedNewSamples", accepted.lineage().trainedNewSamples());
    TreeMap<String, Double> metrics = new TreeMap<>();
    metrics.put("trainSeconds", training.seconds());
    metrics.put("predictedTrainSeconds", firing.grounds().predicted().mean());
    metrics.put("meanLossBefore", training.meanLossBefore());
    metrics.put("meanLossAfter", training.meanLossAfter());
    TreeMap<String, String> attributes = new TreeMap<>();
    attributes.put("rule", firing.grounds().rule());
    attributes.put("reason", firing.grounds().reason());
    attributes.put(SettingsIdentity.ATTRIBUTE, settingsJson);
    attributes.put(SettingsIdentity.DIGEST_ATTRIBUTE, settingsDigest);
    attributes.put("seed", Long.toString(settings.seed()));
    attributes.put("runtime", runtime());
    attributes.put("engine", engine.name());
    attributes.put("threads", Integer.toString(engine.threads()));
    if (finding.samples() > 0) {
      counts.put("comparedWith", finding.baselineVersion());
      counts.put("comparedSamples", finding.samples());
      metrics.put("comparedDifference", finding.difference());
    }
    if (accepted.lineage().inputOffsets().isEmpty()) {
      attributes.put(INPUT, UNKNOWN_POSITIONS);
    }
    String branch = branch(accepted);
    if (!branch.isEmpty()) {
      attributes.put(BRANCH, branch);
    }
    SortedMap<String, byte[]> files = accepted.artifact().served();
    if (settings.publishing().onnx()) {
      files.put(OnnxModel.FILE, OnnxModel.of(accepted.artifact(), settings.name()));
    }
    TreeMap<String, Path> copied = new TreeMap<>();
    if (rows != null) {
      rows.addTo(counts, attributes, files, copied);
    }
    return new ModelDraft(
        settings.name(),
        learner.key().partition(),
        minimumVersion,
        training.parentVersion(),
        accepted.lineage().parentDigest(),
        accepted.lineage().inputOffsets(),
        counts,
        metrics,
        attributes,
        files,
        copied);
  }

  /** Returns the description of the runtime, which the first publication loads. */
  private String runtime() {
    String known = runtime;
    if (known == null) {
      known = Dl4jRuntime.describe();
      runtime = known;
    }
    return known;
  }

  /**
   * Returns the text of attribute {@code branch}: why the version is not trained from the version
   * in service, because a restore went back behind that one. "" if it is.
   */
  private String branch(AcceptedModel accepted) throws IOException {
    long parent = accepted.training().parentVersion();
    String from = parent == 0 ? "begins anew" : "continues version " + parent;
    try {
      Optional<ModelCheckpoint> before = models.current();
      boolean follows =
          before.isEmpty()
              ? parent == 0
              : before.get().digest().equals(accepted.lineage().parentDigest());
      return follows
          ? ""
          : from
              + before
                  .map(it -> "; version " + it.manifest().version() + " is given up")
                  .orElse("; no version is in service");
    } catch (CorruptModelException damaged) {
      return from + "; the version in service cannot be read";
    }
  }
}
