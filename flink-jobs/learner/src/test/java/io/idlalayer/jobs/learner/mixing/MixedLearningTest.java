package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.MixingStatus;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.Lineage;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.mixing.MixingPlace;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a learner adopts a version, and when it must not. */
final class MixedLearningTest {
  private static final String NAME = "started once";

  private final MemoryMixing place = new MemoryMixing(manifest -> {});
  private final List<MixingMessage> said = new ArrayList<>();
  private MixedLearning learning = learning(null);
  private long nowMillis;

  private MixedLearning learning(@Nullable SharedTables shared) {
    return new MixedLearning(
        new LearnerKey("app", 1),
        new Versions(),
        Runnable::run,
        said::add,
        new GateShare.Parts(
            GateSettings.off(Metric.ACCURACY),
            MixedLearningTest::noScorer,
            most -> List.of(),
            new ComparedRows(null)),
        shared);
  }

  private final class Versions implements MixedModels {
    @Override
    public String incarnation() {
      return NAME;
    }

    @Override
    public List<ModelCheckpoint> newest() {
      return place.newest();
    }

    @Override
    public Optional<ModelCheckpoint> candidate() {
      return place.newest(MixingPlace.Kind.CANDIDATE);
    }

    @Override
    public Optional<ModelCheckpoint> verdict() {
      return place.newest(MixingPlace.Kind.VERDICT);
    }

    @Override
    public SortedMap<String, byte[]> load(ModelCheckpoint version) {
      return place.load(version);
    }
  }

  private static PrequentialScorer noScorer() {
    throw new IllegalStateException("nothing is compared");
  }

  private static MixedLearning.Progress progress() {
    return new MixedLearning.Progress(10, new TreeMap<>(), false);
  }

  /** Contributes a model; returns the digest of the contribution. */
  private String contribute(float... parameters) {
    SortedMap<String, byte[]> files = TinyNetwork.files(parameters);
    ModelCheckpoint stored = place.contribute(1, files);
    UpdateRecord update =
        UpdateRecord.fired(10, new UpdateRecord.Firing(1, 1, 0, ExampleEvents.grounds("test")));
    learning.contributed(
        new AcceptedModel(
            update,
            new ModelArtifact(files),
            new Lineage("", "", new TreeMap<>(), 10),
            new byte[0],
            false),
        stored,
        new long[] {nowMillis},
        progress(),
        nowMillis);
    return stored.digest();
  }

  /** Publishes a version that contains a contribution of the learner. */
  private void publish(long round, String contained, float... parameters) throws IOException {
    publish(round, contained, TinyNetwork.files(parameters));
  }

  private void publish(long round, String contained, SortedMap<String, byte[]> files)
      throws IOException {
    SortedMap<String, Long> counts = new TreeMap<>();
    SortedMap<String, String> attributes = new TreeMap<>();
    Contributor mine = new Contributor(1, NAME, 1, contained, 10, 10, new TreeMap<>(), false);
    new MixedVersion(round, 100, List.of(mine), List.of()).putInto(counts, attributes);
    place.publish(
        new ModelDraft(
            "app",
            0,
            round,
            0,
            "",
            new TreeMap<>(),
            counts,
            new TreeMap<>(Map.of(MixedVersion.progressKey(1), 0.5)),
            attributes,
            files));
  }

  /** Looks until the newest version was read. */
  private boolean ready() {
    for (int i = 0; i < 3; i++) {
      nowMillis += MixedWatch.SETTLED_MILLIS;
      learning.poll(nowMillis);
    }
    return learning.ready();
  }

  @Test
  void ready_contributionThatWaits_onlyAVersionWithItIsAdopted() throws Exception {
    String first = contribute(1, 1);
    publish(1, first, 1, 1);
    assertThat(ready()).isTrue();
    learning.adopt(new ModelArtifact(TinyNetwork.files(1, 1)), progress(), 5_000);

    publish(2, first, 5, 5);
    assertThat(ready()).as("a later version of the others").isTrue();
    String second = contribute(3, 3);
    assertThat(learning.ready()).as("version 2 lacks the second contribution").isFalse();
    assertThat(ready()).isFalse();
    assertThat(learning.settled()).isFalse();

    publish(3, second, 6, 6);
    assertThat(ready()).isTrue();
    MixedLearning.Adopted adopted =
        learning.adopt(new ModelArtifact(TinyNetwork.files(4, 4)), progress(), 7_000);
    assertThat(adopted.version()).isEqualTo(3);
    assertThat(learning.settled()).isTrue();
  }

  @Test
  void status_adoptedAndLate_saysBoth() throws Exception {
    assertThat(learning.status())
        .isEqualTo(
            new MixingStatus(
                MixingStatus.State.ALONE, 0, 0, 0, 0, 0, 0, List.of(), null, List.of()));
    String first = contribute(1, 1);
    assertThat(learning.status().state()).isEqualTo(MixingStatus.State.OPEN);
    publish(4, first, 1, 1);
    assertThat(ready()).isTrue();
    learning.adopt(new ModelArtifact(TinyNetwork.files(1, 1)), progress(), 5_000);
    List<MixingStatus.Part> parts = List.of(new MixingStatus.Part(1, 10, 10, 0.5));
    assertThat(learning.status())
        .isEqualTo(
            new MixingStatus(
                MixingStatus.State.SETTLED, 4, 4, 5_000, 1, 0, 100, parts, 0.5, List.of()));

    contribute(2, 2);
    nowMillis += MixedLearning.LEAST_OPEN_MILLIS;
    assertThat(learning.poll(nowMillis).message()).contains("goes on alone");
    assertThat(learning.status())
        .isEqualTo(
            new MixingStatus(
                MixingStatus.State.LATE, 4, 4, 5_000, 1, 1, 100, parts, 0.5, List.of()));
  }

  @Test
  void adopt_learnerThatHasTrainedNothing_hasTheRowsOfEachVersion() throws Exception {
    RowTables rows =
        new RowTables(
            SharedTablesTest.PLAN,
            SharedTablesTest.RULE,
            RowSettings.DEFAULT,
            new InMemoryRowStore());
    long[] wallMillis = {0};
    learning =
        learning(
            new SharedTables(rows, SharedTablesTest.RULE, List.of(0), () -> wallMillis[0] + 999));
    SharedRows begun = SharedRows.begin(SharedTablesTest.PLAN, SharedTablesTest.RULE, List.of(0));
    int keys = begun.tables().get(0).keys();
    int weights = begun.tables().get(0).weights();
    float[] before = begun.values();
    // Each version has some rows as they begin, some as before, and some new ones.
    Random random = new Random(11);
    for (int round = 1; round <= 3; round++) {
      float[] values = before.clone();
      for (int key = 0; key < keys; key++) {
        int choice = random.nextInt(3);
        if (choice == 0) {
          System.arraycopy(begun.values(), key * weights, values, key * weights, weights);
        } else if (choice == 1) {
          values[key * weights + key % weights] += (float) random.nextGaussian();
        }
      }
      SharedRows mixed = new SharedRows(begun.tables(), values, new int[keys]);
      SortedMap<String, byte[]> files = TinyNetwork.files(1, round);
      files.put(SharedRows.FILE, mixed.encode());
      publish(round, "", files);
      assertThat(ready()).isTrue();
      int seconds = 1_000 * round;
      wallMillis[0] = 1_000L * seconds;
      assertThat(learning.adopt(null, progress(), nowMillis).model()).isNull();

      SharedRows file = SharedRows.of(learning.first().files());
      assertThat(file.values()).containsExactly(values);
      SharedTablesTest.assertSame(rows, file);
      RowSet set = SharedTablesTest.all(rows, keys);
      for (int key = 0; key < keys; key++) {
        int at = key * weights;
        boolean changed = !Arrays.equals(before, at, at + weights, values, at, at + weights);
        if (key != IdLists.UNKNOWN) {
          assertThat(set.lastUseSeconds(set.place(key)) == seconds)
              .as("whether round %d has written row %d", round, key)
              .isEqualTo(changed);
        }
      }
      before = values;
    }
  }

  @Test
  void neededContributions_manyBetweenCheckpoints_areFew() {
    for (int checkpoint = 0; checkpoint < 20; checkpoint++) {
      for (int i = 0; i < 50; i++) {
        contribute(1, 1);
      }
      learning.checkpointed();
    }
    assertThat(learning.neededContributions())
        .hasSizeLessThanOrEqualTo(20)
        .contains(1_000L, 999L, 950L, 949L);
  }
}
