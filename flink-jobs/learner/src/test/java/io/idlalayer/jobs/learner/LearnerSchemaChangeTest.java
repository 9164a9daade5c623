package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.jobs.learner.publish.VersionDrafts;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner whose application file changes its features between two starts. */
final class LearnerSchemaChangeTest {
  private static final int EVENTS = 100;

  /** The last events of a run are not trained before it stops. */
  private static final int UPDATE_EVERY = 30;

  private static final int KEPT = 100;

  @TempDir Path folder;
  private ModelStore store;
  private FakeLearnerState state = new FakeLearnerState();
  private long position;
  private final SplittableRandom random = new SplittableRandom(5);

  @BeforeEach
  void open() {
    store = new ModelStore(folder, InstantSource.system());
  }

  /** Time between two publications, in seconds. */
  private double every;

  private ApplicationSettings settings(String... features) {
    List<String> columns = new ArrayList<>(Arrays.stream(features).sorted().toList());
    columns.add("y");
    ApplicationSettings plain =
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(UPDATE_EVERY)),
            DataSettings.defaults());
    return LearnerSettings.learning(
        LearnerSettings.published(
            plain, ApplicationSettings.Publishing.of(null, KEPT).every(every)),
        new SampleSchema(
            columns,
            Arrays.stream(features).map(SampleSchema.DenseFeature::of).toList(),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            null),
        new ModelSpec.Network.Mlp(List.of(8)),
        new ModelSpec.Fit(16, 2, ModelSpec.Updater.ADAM, 0.01, 0));
  }

  /** A learner that goes on with what is in state. */
  private VirtualTimeLearner start(FakeLearnerState from, String... features) throws Exception {
    ApplicationSettings settings = settings(features);
    EngineChoice engine =
        EngineChoice.of(EngineName.ONEDNN, settings.model(), null, JavaKernels::new);
    VirtualTimeLearner learner =
        VirtualTimeLearner.of(
                settings, () -> engine.trainer("app", true), engine.testedModels()::load)
            .published(new StoredModels(store, folder, "app", 0));
    learner.state = from;
    learner.goBackTo(position);
    try {
      return learner.open();
    } catch (RuntimeException refused) {
      learner.cache.close();
      throw refused;
    }
  }

  private Sample sample(int width) {
    double[] dense = new double[width];
    for (int i = 0; i < width; i++) {
      dense[i] = random.nextDouble();
    }
    return Sample.of(dense, dense[width - 1] > 0.5 ? 1 : 0);
  }

  private void learn(VirtualTimeLearner learner, int events) throws Exception {
    int width = learner.settings.input().schema().denseWidth();
    for (int i = 0; i < events; i++) {
      Sample sample = sample(width);
      learner.arrive(sample, ContentHasher.of(sample));
      learner.pass(10);
    }
  }

  /** Stops a learner with a savepoint. */
  private void stop(VirtualTimeLearner learner) throws Exception {
    // The last status is no older.
    learner.pass(2_000);
    learner.learner().beforeCheckpoint();
    position = learner.position();
    state = learner.state.copy();
  }

  private static Status last(VirtualTimeLearner learner) {
    return learner.last().status();
  }

  private static long received(VirtualTimeLearner learner) {
    return last(learner).samples().received();
  }

  private List<ModelManifest> versions() throws Exception {
    return store.list("app", 0).stream().map(ModelCheckpoint::manifest).toList();
  }

  private static List<String> notices(VirtualTimeLearner learner) {
    return learner.said(DecisionEvent.Type.INPUT).stream().map(DecisionEvent::message).toList();
  }

  private void assertChained() throws Exception {
    List<ModelCheckpoint> all = store.list("app", 0);
    for (int i = 1; i < all.size(); i++) {
      ModelManifest manifest = all.get(i).manifest();
      assertThat(manifest.attributes()).doesNotContainKey(VersionDrafts.BRANCH);
      assertThat(manifest.parentDigest()).isEqualTo(all.get(i - 1).digest());
    }
  }

  private void assertStored(int samples, int width) throws Exception {
    List<Long> ids = new ArrayList<>();
    state.samples().forEachMetadata((id, metadata) -> ids.add(id));
    assertThat(ids).hasSize(samples);
    SampleCodec codec = new SampleCodec();
    for (long id : ids) {
      byte[] payload = state.samples().payloads(new long[] {id}).get(0);
      assertThat(codec.decode(payload).dense()).hasSize(width);
    }
  }

  @Test
  void newFeature_atARestart_learnsOnWithEverythingFromBefore() throws Exception {
    try (VirtualTimeLearner two = start(state, "a", "b")) {
      learn(two, EVENTS);
      stop(two);
    }
    int before = versions().size();
    assertThat(before).isPositive();
    long trained = versions().get(before - 1).counts().get("trainedNewSamples");
    assertThat(trained).isEqualTo(90);

    try (VirtualTimeLearner three = start(state, "a", "c", "b")) {
      assertThat(notices(three))
          .containsExactly(
              "the application file has changed: added feature c; 100 stored samples go on with"
                  + " it");
      learn(three, EVENTS);
      stop(three);
      assertThat(received(three)).isEqualTo(2 * EVENTS);
      assertThat(last(three).trainedNewSamples()).isEqualTo(180);
    }
    assertStored(2 * EVENTS, 3);
    assertChained();
    List<ModelManifest> all = versions();
    assertThat(all.size()).isGreaterThan(before + 1);
    for (int i = 0; i < all.size(); i++) {
      String expected = i == before ? "added feature c" : null;
      assertThat(all.get(i).attributes().get(VersionDrafts.SCHEMA)).isEqualTo(expected);
    }
    for (ModelCheckpoint version : store.list("app", 0)) {
      int width = version.manifest().version() <= before ? 2 : 3;
      assertThat(new PlainModelLoader().load(store, version).predict(List.of(sample(width)))[0])
          .as("each version predicts from its own features")
          .hasSize(2);
    }

    try (VirtualTimeLearner again = start(state, "a", "c", "b")) {
      assertThat(notices(again)).isEmpty();
      learn(again, EVENTS);
      stop(again);
    }
    try (VirtualTimeLearner back = start(state, "b", "a")) {
      assertThat(notices(back))
          .singleElement()
          .asString()
          .contains("removed feature c; other order of features; 300 stored samples");
      learn(back, EVENTS);
      stop(back);
      assertThat(received(back)).isEqualTo(4 * EVENTS);
    }
    assertStored(4 * EVENTS, 2);
    assertChained();
  }

  /** Whatever happens before the first checkpoint has not happened. */
  @Test
  void crash_beforeTheFirstCheckpoint_convertsTheSameAgain() throws Exception {
    try (VirtualTimeLearner two = start(state, "a", "b")) {
      learn(two, EVENTS);
      stop(two);
    }
    FakeLearnerState savepoint = state;
    try (VirtualTimeLearner killed = start(savepoint.copy(), "a", "b", "c")) {
      learn(killed, 5);
    }
    try (VirtualTimeLearner three = start(savepoint.copy(), "a", "b", "c")) {
      assertThat(notices(three)).singleElement().asString().contains("100 stored samples");
      learn(three, EVENTS);
      stop(three);
      assertThat(last(three).trainedNewSamples()).isEqualTo(180);
    }
    assertChained();
    position = EVENTS;
    try (VirtualTimeLearner old = start(savepoint.copy(), "a", "b")) {
      assertThat(notices(old)).isEmpty();
      learn(old, EVENTS);
      old.pass(2_000);
      assertThat(received(old)).isEqualTo(2 * EVENTS);
    }
  }

  @Test
  void modelThatWaitsForItsPublication_isPublishedWithTheNewFeatures() throws Exception {
    every = 1_000;
    try (VirtualTimeLearner two = start(state, "a", "b")) {
      learn(two, EVENTS);
      stop(two);
    }
    assertThat(versions()).hasSize(1);
    try (VirtualTimeLearner three = start(state, "c", "a", "b")) {
      three.pass(100);
    }
    assertThat(versions()).hasSize(2);
    ModelCheckpoint published = store.list("app", 0).get(1);
    assertThat(published.manifest().counts()).containsEntry("updateNumber", 3L);
    assertThat(published.manifest().attributes())
        .containsEntry(VersionDrafts.SCHEMA, "added feature c");
    assertThat(new PlainModelLoader().load(store, published).predict(List.of(sample(3)))[0])
        .hasSize(2);
    assertChained();
  }

  @Test
  void otherFeatures_ofWhichNoneIsLeft_areRefused() throws Exception {
    try (VirtualTimeLearner two = start(state, "a", "b")) {
      learn(two, EVENTS);
      stop(two);
    }
    assertThatThrownBy(() -> start(state, "A", "B"))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("input.features: [a, b] before, [A, B] now")
        .hasMessageContaining("none of the features from before is left");
    assertStored(EVENTS, 2);
    try (VirtualTimeLearner two = start(state, "a", "b")) {
      assertThat(notices(two)).isEmpty();
    }
  }
}
