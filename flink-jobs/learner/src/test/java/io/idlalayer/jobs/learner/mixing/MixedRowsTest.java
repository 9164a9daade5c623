package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.learner.publish.SimulatedRows;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixRound;
import io.idlalayer.jobs.mixing.MixState;
import io.idlalayer.jobs.mixing.MixWork;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.mixing.MixingRecord;
import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which rows a mixed version has, and when it does not serve for lack of some. */
final class MixedRowsTest {
  private static final KeyRanges RANGES = KeyRanges.ofTable("user", 2);

  @TempDir Path folder;
  private final Random random = new Random(5);
  private final List<SimulatedRows> learners = new ArrayList<>();
  private final List<Contributor> names = new ArrayList<>();
  private ApplicationSettings settings;
  private MemoryRows rows;
  private MemoryMixing place;
  private MixWork work;
  private long published;

  @BeforeEach
  void begin() throws Exception {
    settings =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            """
            name: app
            partitions: 2
            mixing: {action: average, partition-by: user}
            input: {features: [x], ids: [user], label: y, classes: [a, b]}
            model: {type: wide-and-deep, hidden: [4]}
            embeddings: {dim: 3}
            """);
    RowFile.Table table = RowFile.Table.of(EmbeddingPlans.of(settings.model()).tables().get(0));
    rows = new MemoryRows(folder, false);
    place = new MemoryMixing(manifest -> {}, rows);
    work = new MixWork(settings, place);
    for (int partition = 0; partition < 2; partition++) {
      SimulatedRows learner = new SimulatedRows(table);
      for (long key = 2; key < 100; key++) {
        if (RANGES.of(key) == partition) {
          learner.train(key, random);
        }
      }
      learners.add(learner);
      names.add(new Contributor(partition, "start", 0, "", 0, 0, new TreeMap<>(), false));
    }
  }

  private static long key(int partition) {
    long key = 2;
    while (RANGES.of(key) != partition) {
      key++;
    }
    return key;
  }

  private ModelCheckpoint contribute(int partition) throws IOException {
    SimulatedRows learner = learners.get(partition);
    try (DraftRows prepared = learner.prepare(rows.ofLearner())) {
      ModelCheckpoint stored =
          place.contribute(partition, TinyNetwork.files(1, 2), learner.parentDigest(), prepared);
      learner.published(stored);
      names.set(
          partition,
          new Contributor(
              partition,
              "start",
              stored.manifest().version(),
              stored.digest(),
              1,
              1,
              new TreeMap<>(),
              false));
      return stored;
    }
  }

  private MixWork.Published publish() throws IOException {
    MixRound round = new MixRound(published + 1, List.of(), 1_000, 0);
    MixState state =
        new MixState(
            TinyNetwork.files(1, 2),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            List.of());
    MixWork.Published done = work.publish(round, state, names, published, true, null);
    if (done.serves()) {
      published = done.version().manifest().version();
    }
    return done;
  }

  private static String kind(MixWork.Published done) {
    return done.version().manifest().attributes().get(ModelManifest.ROWS);
  }

  private Map<Long, String> own() {
    Map<Long, String> own = new TreeMap<>();
    for (int partition = 0; partition < 2; partition++) {
      int each = partition;
      learners
          .get(partition)
          .texts()
          .forEach(
              (key, row) -> {
                if (RANGES.of(key) == each) {
                  own.put(key, row);
                }
              });
    }
    return own;
  }

  @Test
  void publish_changesOfTwoPartitions_areOneFileOfChanges() throws Exception {
    contribute(0);
    assertThat(kind(publish())).isEqualTo(ModelManifest.FULL_ROWS);
    contribute(1);
    MixWork.Published joined = publish();
    assertThat(rows.texts(joined.version())).isEqualTo(own());
    learners.get(0).train(key(0), random);
    learners.get(1).delete(key(1));
    contribute(0);
    contribute(1);
    MixWork.Published changed = publish();
    assertThat(kind(changed)).isEqualTo(ModelManifest.ROW_CHANGES);
    assertThat(changed.version().manifest().counts()).containsEntry(DraftRows.CHANGED, 2L);
    assertThat(rows.texts(changed.version())).isEqualTo(own()).doesNotContainKey(key(1));
    assertThat(folder).isDirectoryNotContaining("glob:**mixed-*");
  }

  /** It ends its own chain of changes, and that is no reason for the version to have all rows. */
  @Test
  void publish_contributionWithAllRows_isTakenByItsChanges() throws Exception {
    contribute(0);
    contribute(1);
    publish();
    List<Long> most = learners.get(0).texts().keySet().stream().skip(10).toList();
    for (int i = 0; i < 2; i++) {
      most.forEach(key -> learners.get(0).train(key, random));
      ModelCheckpoint contribution = contribute(0);
      assertThat(contribution.manifest().attributes())
          .containsEntry(
              ModelManifest.ROWS, i == 0 ? ModelManifest.ROW_CHANGES : ModelManifest.FULL_ROWS);
      MixWork.Published done = publish();
      assertThat(kind(done)).isEqualTo(ModelManifest.ROW_CHANGES);
      assertThat(rows.texts(done.version())).isEqualTo(own());
    }
  }

  @Test
  void publish_rowsOfAnotherPartition_areLeftOut() throws Exception {
    learners.get(0).train(key(1), random);
    contribute(0);
    contribute(1);
    assertThat(rows.texts(publish().version())).isEqualTo(own());
  }

  @Test
  void publish_rowsThatAreLost_areForLearnersOnlyUntilTheyComeAgain() throws Exception {
    contribute(0);
    contribute(1);
    publish();
    learners.get(1).train(key(1), random);
    ModelCheckpoint lost = contribute(1);
    rows.lose(lost.digest());
    MixWork.Published withheld = publish();
    assertThat(withheld.serves()).isFalse();
    assertThat(withheld.version().manifest().hasRows()).isFalse();
    assertThat(MixedVersion.of(withheld.version().manifest()).orElseThrow().notes())
        .singleElement()
        .asString()
        .startsWith("the rows of contribution 2 of partition 1 cannot be read")
        .endsWith("No version is published until its learner has contributed again");
    learners.get(1).train(key(1), random);
    contribute(1);
    MixWork.Published healed = publish();
    assertThat(healed.serves()).isTrue();
    assertThat(rows.texts(healed.version())).isEqualTo(own());
  }

  @Test
  void publish_nothingButNames_hasNoChanges() throws Exception {
    contribute(0);
    publish();
    MixWork.Published named = publish();
    assertThat(kind(named)).isEqualTo(ModelManifest.ROW_CHANGES);
    assertThat(named.version().manifest().counts()).containsEntry(DraftRows.CHANGED, 0L);
  }

  @Test
  void compute_contributionWithoutRows_isLeftOut() throws Exception {
    SortedMap<String, byte[]> files = TinyNetwork.files(1, 2);
    ModelCheckpoint stored = place.contribute(0, files);
    MixingRecord record =
        new MixingRecord(
            "app", 0, false, "start", 0, 1, stored.digest(), 1, 1, new TreeMap<>(), false);
    MixRound round =
        new MixRound(1, List.of(new MixRound.Taken(record, MixRound.From.NOTHING, 1)), 1_000, 0);
    assertThat(work.compute(round, MixState.NOTHING, true).state().notes())
        .singleElement()
        .asString()
        .contains("it has no rows of the table");
  }

  @Test
  void new_placeWithoutRows_isRefused() {
    assertThatThrownBy(() -> new MixWork(settings, new MemoryMixing(manifest -> {})))
        .hasMessageContaining("stores no rows");
  }
}
