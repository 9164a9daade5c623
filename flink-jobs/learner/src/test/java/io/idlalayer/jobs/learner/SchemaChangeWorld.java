package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.jobs.learner.publish.VersionDrafts;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelruntime.artifact.EngineName;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A learner that is stopped with a savepoint and started with other settings, again and again. */
final class SchemaChangeWorld {
  final ModelStore store;
  FakeLearnerState state = new FakeLearnerState();
  long position;

  private final Path folder;

  /**
   * @param folder folder of the published versions
   */
  SchemaChangeWorld(Path folder) {
    this.folder = folder;
    store = new ModelStore(folder, InstantSource.system());
  }

  /** A learner that goes on with what is in state. */
  VirtualTimeLearner start(FakeLearnerState from, ApplicationSettings settings) throws Exception {
    return start(from, settings, learner -> learner);
  }

  /**
   * @param prepared says more of the learner before it is opened
   */
  VirtualTimeLearner start(
      FakeLearnerState from,
      ApplicationSettings settings,
      UnaryOperator<VirtualTimeLearner> prepared)
      throws Exception {
    EngineChoice engine =
        EngineChoice.of(EngineName.ONEDNN, settings.model(), null, JavaKernels::new);
    boolean tables = !settings.model().embeddings().tables().isEmpty();
    VirtualTimeLearner learner =
        prepared.apply(
            VirtualTimeLearner.of(
                    settings, () -> engine.trainer("app", !tables), engine.testedModels()::load)
                .published(new StoredModels(store, folder, "app", 0)));
    learner.state = from;
    learner.goBackTo(position);
    try {
      return learner.open();
    } catch (RuntimeException refused) {
      learner.cache.close();
      throw refused;
    }
  }

  /** Stops a learner with a savepoint. */
  void stop(VirtualTimeLearner learner) throws Exception {
    // The last status is no older.
    learner.pass(2_000);
    save(learner);
  }

  /** Takes a savepoint now. */
  void save(VirtualTimeLearner learner) throws Exception {
    learner.learner().beforeCheckpoint();
    position = learner.position();
    state = learner.state.copy();
  }

  static Status last(VirtualTimeLearner learner) {
    return learner.last().status();
  }

  static long received(VirtualTimeLearner learner) {
    return last(learner).samples().received();
  }

  static List<String> notices(VirtualTimeLearner learner) {
    return learner.said(DecisionEvent.Type.INPUT).stream().map(DecisionEvent::message).toList();
  }

  List<ModelManifest> versions() throws Exception {
    return store.list("app", 0).stream().map(ModelCheckpoint::manifest).toList();
  }

  void assertChained() throws Exception {
    List<ModelCheckpoint> all = store.list("app", 0);
    for (int i = 1; i < all.size(); i++) {
      ModelManifest manifest = all.get(i).manifest();
      assertThat(manifest.attributes()).doesNotContainKey(VersionDrafts.BRANCH);
      assertThat(manifest.parentDigest()).isEqualTo(all.get(i - 1).digest());
    }
  }

  /** Returns the samples in the savepoint that have features. */
  List<Sample> stored() throws Exception {
    List<Long> ids = new ArrayList<>();
    state
        .samples()
        .forEachMetadata(
            (id, metadata) -> {
              if (!metadata.identity().labelOnly()) {
                ids.add(id);
              }
            });
    SampleCodec codec = new SampleCodec();
    List<Sample> samples = new ArrayList<>();
    for (long id : ids) {
      samples.add(codec.decode(state.samples().payloads(new long[] {id}).get(0)));
    }
    return samples;
  }
}
