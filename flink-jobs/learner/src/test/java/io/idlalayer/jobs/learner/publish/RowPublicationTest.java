package io.idlalayer.jobs.learner.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.learner.RowPublicationWorld;
import io.idlalayer.jobs.rows.ChainLimit;
import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.sample.IdLists;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which versions have all rows and which have changes, and how they are served. */
final class RowPublicationTest {
  private static final int IDS = 300;

  @TempDir Path folder;

  private RowPublicationWorld world() {
    return new RowPublicationWorld(folder, IDS, 1, 100_000);
  }

  private static List<IdLists> every() {
    return IntStream.range(2, IDS).mapToObj(id -> IdLists.single(id, id)).toList();
  }

  private static ModelCheckpoint publish(RowPublicationWorld world, List<IdLists> samples)
      throws InterruptedException {
    world.accept(samples, samples.size());
    return Objects.requireNonNull(world.settle());
  }

  private static long count(ModelCheckpoint version, String name) {
    return version.manifest().counts().getOrDefault(name, -1L);
  }

  private static String kind(ModelCheckpoint version) {
    return version.manifest().attributes().getOrDefault(ModelManifest.ROWS, "");
  }

  private static void assertLoads(RowPublicationWorld world, ModelCheckpoint version)
      throws IOException {
    assertThat(world.columns(world.load(version, null)))
        .containsExactly(world.expected.get(version.digest()));
  }

  @Test
  void publish_fewRowsChanged_areChangesOfTheVersionBefore() throws Exception {
    RowPublicationWorld world = world();
    ModelCheckpoint first = publish(world, every());
    ModelCheckpoint second = publish(world, every().subList(0, 10));
    assertThat(kind(first)).isEqualTo(ModelManifest.FULL_ROWS);
    assertThat(count(first, DraftRows.CHANGED)).isEqualTo(2 * (IDS - 2));
    assertThat(count(first, DraftRows.CHAIN)).isZero();
    assertThat(kind(second)).isEqualTo(ModelManifest.ROW_CHANGES);
    assertThat(second.manifest().parentDigest()).isEqualTo(first.digest());
    assertThat(count(second, DraftRows.CHANGED)).isEqualTo(20);
    assertThat(count(second, DraftRows.CHAIN)).isEqualTo(1);
    long bytes = second.manifest().file(ModelManifest.ROWS_FILE).orElseThrow().bytes();
    assertThat(count(second, DraftRows.CHAIN_BYTES)).isEqualTo(bytes);
    long all = first.manifest().file(ModelManifest.ROWS_FILE).orElseThrow().bytes();
    assertThat(bytes).isLessThanOrEqualTo(all / 10);
  }

  @Test
  void publish_rowsThatNoVersionHas_arePublishedOnceMore() throws Exception {
    RowPublicationWorld world = world();
    publish(world, every());
    ModelCheckpoint last = publish(world, every().subList(0, 10));
    assertThat(world.idle()).isTrue();
    world.owingUpTo = 3;
    assertThat(world.idle()).isFalse();
    assertThat(world.settle()).isNull();
    ModelCheckpoint again = Objects.requireNonNull(world.retry());
    assertThat(again.manifest().version()).isEqualTo(3);
    assertThat(again.manifest().parentDigest()).isEqualTo(last.digest());
    assertThat(world.columns(world.load(again, null)))
        .containsExactly(world.expected.get(last.digest()));
    assertThat(world.idle()).isTrue();
    assertThat(publish(world, every().subList(5, 6)).manifest().version()).isEqualTo(4);
  }

  /** The bytes of changes reach those of all rows. */
  @Test
  void publish_changesAddUp_hasAllRows() throws Exception {
    RowPublicationWorld world = world();
    publish(world, every());
    assertThat(kind(publish(world, every().subList(0, 140)))).isEqualTo(ModelManifest.ROW_CHANGES);
    assertThat(kind(publish(world, every().subList(0, 140)))).isEqualTo(ModelManifest.ROW_CHANGES);
    ModelCheckpoint full = publish(world, every().subList(0, 140));
    assertThat(kind(full)).isEqualTo(ModelManifest.FULL_ROWS);
    assertThat(count(full, DraftRows.CHAIN_BYTES)).isZero();
    assertLoads(world, full);
  }

  @Test
  void publish_manyChanges_hasAllRowsAfter64() throws Exception {
    RowPublicationWorld world = world();
    publish(world, every());
    for (int i = 1; i <= ChainLimit.MOST_CHANGES; i++) {
      ModelCheckpoint version = publish(world, every().subList(i, i + 1));
      assertThat(count(version, DraftRows.CHAIN)).isEqualTo(i);
    }
    ModelCheckpoint full = publish(world, every().subList(0, 1));
    assertThat(kind(full)).isEqualTo(ModelManifest.FULL_ROWS);
    assertLoads(world, full);
  }

  /** Three versions are kept, and all before them that they need. */
  @Test
  void publish_chainLongerThanWhatIsKept_keepsTheChain() throws Exception {
    RowPublicationWorld world = world();
    ModelCheckpoint first = publish(world, every());
    for (int i = 0; i < 8; i++) {
      publish(world, every().subList(i, i + 2));
    }
    assertThat(world.models.list("app", 0)).hasSize(9).contains(first);
    publish(world, every());
    publish(world, every().subList(0, 2));
    publish(world, every().subList(0, 2));
    assertThat(world.retry()).as("old versions are deleted a little later").isNull();
    assertThat(world.models.list("app", 0)).hasSize(3);
    assertThat(world.models.problems("app", 0)).isEmpty();
  }

  @Test
  void publish_modelFolderWasDeleted_hasAllRowsOfTheLearner() throws Exception {
    RowPublicationWorld world = world();
    publish(world, every());
    publish(world, every().subList(0, 10));
    RowPublicationPropertyTest.delete(folder.resolve("app"));
    ModelCheckpoint third = publish(world, every().subList(5, 15));
    assertThat(kind(third)).isEqualTo(ModelManifest.FULL_ROWS);
    assertThat(count(third, DraftRows.CHANGED)).isEqualTo(20);
    assertLoads(world, third);
    assertThat(folder.resolve(".rows/app/0")).isEmptyDirectory();
    assertThat(kind(publish(world, every().subList(0, 2)))).isEqualTo(ModelManifest.ROW_CHANGES);
  }

  @Test
  void publish_allRowsCannotBeWritten_isTriedAgain() throws Exception {
    RowPublicationWorld world = world();
    publish(world, every());
    RowPublicationPropertyTest.delete(folder.resolve("app"));
    Path inTheWay = Files.writeString(folder.resolve(".rows"), "");
    world.accept(every().subList(0, 10), 1);
    assertThat(world.settle()).isNull();
    Files.delete(inTheWay);
    ModelCheckpoint second = Objects.requireNonNull(world.retry());
    assertLoads(world, second);
  }

  /** A serving process refuses it, says why, serves on, and takes the next one. */
  @Test
  void refresh_fileOfTheChainDamaged_isRefusedUntilItIsNotNeeded() throws Exception {
    RowPublicationWorld world = world();
    ModelCheckpoint first = publish(world, every());
    try (ModelSubscriber<ServedRows> subscriber = subscriber(world)) {
      subscriber.refresh();
      ModelCheckpoint second = publish(world, every().subList(0, 10));
      byte[] good = Files.readAllBytes(Path.of(second.file(ModelManifest.ROWS_FILE)));
      Files.write(
          Path.of(second.file(ModelManifest.ROWS_FILE)), Arrays.copyOf(good, good.length - 1));
      assertThatThrownBy(subscriber::refresh)
          .isInstanceOf(CorruptModelException.class)
          .hasMessageContaining(second.location());
      byte[] bad = good.clone();
      bad[good.length / 2] ^= 1;
      Files.write(Path.of(second.file(ModelManifest.ROWS_FILE)), bad);
      assertThatThrownBy(subscriber::refresh)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("version 2 does not load")
          .hasMessageContaining(second.file(ModelManifest.ROWS_FILE));
      assertThat(subscriber.current()).contains(first);
      ModelCheckpoint third = publish(world, every().subList(0, 10));
      assertThat(kind(third)).isEqualTo(ModelManifest.FULL_ROWS);
      assertThat(subscriber.refresh()).isTrue();
      try (ModelLease<ServedRows> lease = subscriber.acquire()) {
        assertThat(world.columns(lease.model()))
            .containsExactly(world.expected.get(third.digest()));
      }
    }
  }

  /** A serving process that starts on a broken chain goes back along it by itself. */
  @Test
  void refresh_chainIsBrokenAtTheStart_servesTheLastVersionBeforeAndThenTheNextWholeOne()
      throws Exception {
    RowPublicationWorld world = world();
    ModelCheckpoint first = publish(world, every());
    ModelCheckpoint second = publish(world, every().subList(0, 10));
    ModelCheckpoint third = publish(world, every().subList(5, 15));
    assertThat(kind(third)).isEqualTo(ModelManifest.ROW_CHANGES);
    Path rows = Path.of(second.file(ModelManifest.ROWS_FILE));
    byte[] bad = Files.readAllBytes(rows);
    bad[bad.length / 2] ^= 1;
    Files.write(rows, bad);
    try (ModelSubscriber<ServedRows> subscriber = subscriber(world)) {
      assertThatThrownBy(subscriber::refresh)
          .isInstanceOf(CorruptModelException.class)
          .hasMessageContaining("version 3 does not load")
          .hasMessageContaining(second.file(ModelManifest.ROWS_FILE));
      try (ModelLease<ServedRows> lease = subscriber.acquire()) {
        assertThat(lease.checkpoint()).isEqualTo(first);
        assertThat(world.columns(lease.model()))
            .containsExactly(world.expected.get(first.digest()));
      }
      long unknown = unknownIds(subscriber);
      assertThat(unknown).isPositive();
      RowPublicationPropertyTest.delete(rows.getParent());
      ModelCheckpoint fourth = publish(world, every().subList(0, 10));
      assertThat(kind(fourth)).isEqualTo(ModelManifest.FULL_ROWS);
      assertThat(subscriber.refresh()).isTrue();
      assertThat(subscriber.current()).contains(fourth);
      assertThat(unknownIds(subscriber)).as("of all versions").isEqualTo(unknown);
    }
  }

  private static long unknownIds(ModelSubscriber<ServedRows> subscriber) {
    try (ModelLease<ServedRows> lease = subscriber.acquire()) {
      return lease.model().unknownIds();
    }
  }

  /** What is before the model in service is not needed to go on from it. */
  @Test
  void load_olderFileDamaged_isNotNoticedByThoseWhoHaveIt() throws Exception {
    RowPublicationWorld world = world();
    ModelCheckpoint first = publish(world, every());
    ModelCheckpoint second = publish(world, every().subList(0, 10));
    LoadRequest.Loaded<ServedRows> served =
        new LoadRequest.Loaded<>(second, world.load(second, null));
    ModelCheckpoint third = publish(world, every().subList(0, 10));
    byte[] rows = Files.readAllBytes(Path.of(first.file(ModelManifest.ROWS_FILE)));
    rows[rows.length - 20] ^= 1;
    Files.write(Path.of(first.file(ModelManifest.ROWS_FILE)), rows);
    assertThat(world.columns(world.load(third, served)))
        .containsExactly(world.expected.get(third.digest()));
    assertThatThrownBy(() -> world.load(third, null))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining(first.location());
  }

  private static ModelSubscriber<ServedRows> subscriber(RowPublicationWorld world) {
    return new ModelSubscriber<>(
        new ModelSubscriber.Subscription(world.models, "app", 0, Duration.ofMillis(1)),
        new RowPublicationWorld.Loader(RowPublicationWorld.PLAN),
        InstantSource.system());
  }

  @Test
  void acquire_threadsPredictDuringSwaps_eachSeesOneVersion() throws Exception {
    RowPublicationWorld world = world();
    publish(world, every());
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try (ModelSubscriber<ServedRows> subscriber = subscriber(world)) {
      subscriber.refresh();
      Callable<Integer> predicting =
          () -> {
            int looks = 0;
            while (!done.get() || looks < 10) {
              try (ModelLease<ServedRows> lease = subscriber.acquire()) {
                float[] seen = world.columns(lease.model());
                assertThat(seen).containsExactly(world.expected.get(lease.checkpoint().digest()));
                looks++;
              }
            }
            return looks;
          };
      List<Future<Integer>> running = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        running.add(threads.submit(predicting));
      }
      SplittableRandom random = new SplittableRandom(1);
      try {
        for (int i = 0; i < 60; i++) {
          publish(world, world.samples(random, i % 10 == 0 ? 200 : 20));
          subscriber.refresh();
          if (i % 7 == 6) {
            subscriber.rollback();
          }
        }
      } finally {
        done.set(true);
      }
      for (Future<Integer> each : running) {
        assertThat(each.get()).isGreaterThanOrEqualTo(10);
      }
      assertThat(Map.copyOf(world.kinds()).values()).contains(ModelManifest.FULL_ROWS);
    } finally {
      threads.shutdownNow();
    }
  }
}
