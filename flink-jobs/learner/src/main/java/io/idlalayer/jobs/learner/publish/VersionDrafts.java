package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.modelcontroller.training.ModelChange;
import io.idlalayer.modelloader.natives.KernelRuntime;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelStart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the draft of a version from an accepted model: its files and the contents of its
 * manifest.
 */
public final class VersionDrafts {
  private static final Logger LOG = LoggerFactory.getLogger(VersionDrafts.class);

  /**
   * Name of the attribute in the manifest of a version that was not trained from the version before
   * it.
   */
  public static final String BRANCH = "branch";

  /**
   * Name of the manifest's attribute with the changes of the features and classes since the
   * previous version, such as {@code added feature c; added class d}.
   */
  public static final String SCHEMA = "schema";

  /** Attribute of a version whose lineage began with a trained network: the name of its file. */
  public static final String START = "start";

  /** Attribute of a version whose lineage began with a trained network: the SHA-256 of its file. */
  public static final String START_DIGEST = "startSha256";

  /** Name of the manifest's count of events that a version has forgotten or never learned. */
  public static final String FORGOTTEN = "forgottenSamples";

  /**
   * Name of the manifest's attribute with these events: the hashes of their ids, in ascending
   * order, with 16 hexadecimal digits each.
   */
  public static final String FORGOTTEN_EVENTS = "forgottenEvents";

  /**
   * Name of the manifest's count with the newest version that has possibly learned from a sample
   * which this version has forgotten.
   */
  public static final String FORGOTTEN_BEFORE = "forgottenBefore";

  /** Attribute of a version that was learned from a stream without positions. */
  static final String INPUT = "input";

  private static final String UNKNOWN_POSITIONS =
      "a stream without positions: lost input, repeated deliveries and offsets are not known";

  private final LearnerIdentity learner;
  private final PublishedModels models;
  private final Status.Engine engine;
  private final String settingsJson;
  private final String settingsDigest;
  private final ModelChange change;
  private @Nullable String runtime;

  /**
   * The facts about a version that do not come from its model.
   *
   * @param finding finding of the release gate
   * @param forgotten events that the model has forgotten
   */
  record Facts(Finding finding, Forgotten forgotten) {}

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
    change = new ModelChange(learner.settings().model());
  }

  /**
   * Creates the draft of the version as which an accepted model is published. Called by the trainer
   * thread.
   *
   * @param facts further facts about the version
   * @param rows rows of the model's tables; null if it has none
   */
  ModelDraft of(AcceptedModel accepted, long minimumVersion, Facts facts, @Nullable DraftRows rows)
      throws IOException {
    ApplicationSettings settings = learner.settings();
    Finding finding = facts.finding();
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
    if (facts.forgotten().samples() > 0) {
      counts.put(FORGOTTEN, (long) facts.forgotten().samples());
      attributes.put(FORGOTTEN_EVENTS, facts.forgotten().eventsText());
      counts.put(FORGOTTEN_BEFORE, forgottenBefore(facts.forgotten(), minimumVersion));
    }
    if (accepted.lineage().inputOffsets().isEmpty()) {
      attributes.put(INPUT, UNKNOWN_POSITIONS);
    }
    putOrigin(accepted, attributes);
    putStart(accepted.artifact(), attributes);
    // An update from before a change of the schema is possibly still waiting for its publication.
    ModelArtifact model = change.fitting(accepted.artifact());
    SortedMap<String, byte[]> files = model.served();
    if (settings.publishing().onnx()) {
      files.put(OnnxModel.FILE, OnnxModel.of(model, settings.name()));
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

  private long forgottenBefore(Forgotten forgotten, long minimumVersion) throws IOException {
    if (!forgotten.unpublished()) {
      return forgotten.before();
    }
    try {
      // After a restore, versions that this learner does not know have possibly learned from the
      // samples.
      long newest = models.current().map(each -> each.manifest().version()).orElse(0L);
      return Math.max(newest, minimumVersion - 1);
    } catch (CorruptModelException damaged) {
      return minimumVersion - 1;
    }
  }

  /** Returns the description of the runtime. The first publication computes it. */
  private String runtime() {
    String known = runtime;
    if (known == null) {
      known = KernelRuntime.describe();
      runtime = known;
    }
    return known;
  }

  /** Adds the attributes about the file with which the lineage began, if it began with a file. */
  private static void putStart(ModelArtifact model, Map<String, String> attributes)
      throws IOException {
    byte[] file = model.files().get(ModelArtifact.START_FILE);
    if (file != null) {
      ModelStart start = ModelStart.decode(file);
      attributes.put(START, start.file());
      attributes.put(START_DIGEST, start.sha256());
    }
  }

  /**
   * Adds attributes about the origin of a version: {@code branch}, if the version was not trained
   * from the version in service, because a restore went back to an earlier state; and {@code
   * schema}, if features or classes have changed since the parent.
   */
  private void putOrigin(AcceptedModel accepted, Map<String, String> attributes)
      throws IOException {
    long parent = accepted.training().parentVersion();
    String from = parent == 0 ? "begins anew" : "continues version " + parent;
    try {
      ModelCheckpoint before = models.current().orElse(null);
      boolean follows =
          before == null ? parent == 0 : before.digest().equals(accepted.lineage().parentDigest());
      if (!follows) {
        String instead =
            before == null
                ? "; no version is in service"
                : "; version " + before.manifest().version() + " is given up";
        attributes.put(BRANCH, from + instead);
        putSchema(manifest(parent), attributes);
      } else if (before != null) {
        putSchema(before.manifest(), attributes);
      }
    } catch (CorruptModelException damaged) {
      attributes.put(BRANCH, from + "; the version in service cannot be read");
    }
  }

  /** Returns the manifest of a version; null if there is none any more. */
  private @Nullable ModelManifest manifest(long version) {
    try {
      return version == 0 ? null : models.manifest(version).orElse(null);
    } catch (IOException gone) {
      LOG.debug("{}: version {} cannot be read", learner.key(), version, gone);
      return null;
    }
  }

  /**
   * @param parent manifest of the parent; null if it is not known
   */
  private void putSchema(@Nullable ModelManifest parent, Map<String, String> attributes) {
    String before = parent == null ? null : parent.attributes().get(SettingsIdentity.ATTRIBUTE);
    if (before == null || before.equals(settingsJson)) {
      return;
    }
    String changes =
        IdentityChange.between(SettingsIdentity.parse(before), learner.settings()).changes();
    if (!changes.isEmpty()) {
      attributes.put(SCHEMA, changes);
    }
  }
}
