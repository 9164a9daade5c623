package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.models.http.ServedFolder;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.modelstore.s3.S3Bucket;
import io.idlalayer.modelstore.s3.S3Settings;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.TestCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.regions.Region;

/**
 * Whatever happens to a file of a version, and of those whose rows it needs: the loaders that serve
 * refuse it, and what served serves on.
 */
final class DamagedVersionsTest {
  /** Until then all ids come, and later some of them only, so that versions have changes. */
  private static final int WHOLE_VERSIONS = 8;

  private static final int VERSIONS = 11;

  @TempDir Path folder;
  @TempDir Path local;
  private final SplittableRandom random = new SplittableRandom(8);
  private ModelStore store;
  private ModelReader reader;

  /** Null if readers keep nothing of what they have seen. */
  private @Nullable Opener opened;

  /** The file or folder of a location of the store. */
  private Function<String, Path> fileOf = Path::of;

  private List<Sample> samples;

  @BeforeEach
  void openFolder() {
    store = new ModelStore(folder, InstantSource.system());
    reader = store;
  }

  /** What happens to a file. */
  private enum Damage {
    FLIPPED_BIT,
    CUT,
    EMPTY,
    LONGER,
    MISSING,
    /**
     * A file of the previous version, whole: repeated, skipped or exchanged files look like this.
     */
    OF_THE_VERSION_BEFORE,
    /** A manifest that can be read and whose version is right; only its digest tells. */
    ANOTHER_MANIFEST
  }

  /** Opens a reader that has seen nothing yet. */
  @FunctionalInterface
  private interface Opener {
    ModelReader open() throws IOException;
  }

  /** Where the versions are, and how they are read. */
  private enum Kind {
    FOLDER,
    HTTP,
    OBJECT_STORE
  }

  @ParameterizedTest
  @EnumSource
  void plainLoader_everyDamage_isRefusedAndTheOldVersionServesOn(Kind kind) throws Exception {
    check(kind, new PlainModelLoader(), model -> model.predict(samples.get(0)));
  }

  @ParameterizedTest
  @EnumSource
  void mappedRows_everyDamage_isRefusedAndTheOldVersionServesOn(Kind kind) throws Exception {
    RowsFolder maps = RowsFolder.open(local.resolve("maps"));
    PlainModelLoader loader = new PlainModelLoader().mappingRowsIn(maps);
    check(kind, loader, model -> model.predict(samples.get(0)));
    assertThat(maps.path()).as("all versions have left").isEmptyDirectory();
  }

  @ParameterizedTest
  @EnumSource
  void dl4jLoader_everyDamage_isRefusedAndTheOldVersionServesOn(Kind kind) throws Exception {
    check(kind, new Dl4jModelLoader(), model -> model.predict(samples.subList(0, 1))[0]);
  }

  private <M> void check(Kind kind, ModelLoader<M> loader, Function<M, double[]> predict)
      throws Exception {
    switch (kind) {
      case FOLDER -> check(loader, predict);
      case HTTP -> {
        try (ServedFolder served = ServedFolder.open(folder)) {
          reader = served.reader();
          opened = served::reader;
          check(loader, predict);
        }
      }
      case OBJECT_STORE -> {
        TestCredentials.set();
        try (ObjectStoreServer server = ObjectStoreServer.start(folder);
            ModelStore objects =
                new ModelStore(
                    S3Bucket.open(server.address(), settings(server)),
                    InstantSource.system(),
                    PublisherIdentity.ofThisProcess())) {
          store = objects;
          reader = objects;
          fileOf = server::file;
          opened =
              () ->
                  new ModelStore(
                      S3Bucket.open(server.address(), settings(server)),
                      InstantSource.system(),
                      PublisherIdentity.ofThisProcess());
          check(loader, predict);
        }
      }
    }
  }

  private static S3Settings settings(ObjectStoreServer server) {
    return S3Settings.of(server.endpoint(), Region.of("test-1"));
  }

  private <M> void check(ModelLoader<M> loader, Function<M, double[]> predict) throws Exception {
    samples = new ArrayList<>(TablesWorld.stream(3));
    ModelSubscriber<M> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(reader, "app", 0, Duration.ofMillis(5)),
            loader,
            InstantSource.system());
    try (subscriber;
        VirtualTimeLearner learner = learner()) {
      int arrived = publish(learner, 0, WHOLE_VERSIONS);
      Sample few = samples.get(0);
      for (int i = arrived; i < samples.size(); i++) {
        samples.set(i, with(samples.get(i), few.ids()));
      }
      assertThat(subscriber.refresh()).isTrue();
      double[] before = served(subscriber, predict);
      publish(learner, arrived, VERSIONS);
      assertThat(store.chain(store.current("app", 0).orElseThrow())).hasSizeGreaterThan(2);
      int damaged = 0;
      for (Path file : neededFiles()) {
        byte[] whole = Files.readAllBytes(file);
        for (Damage damage : Damage.values()) {
          if (!damage(file, whole, damage)) {
            continue;
          }
          String what = folder.relativize(file) + " " + damage;
          if (opened != null && file.endsWith("manifest.json")) {
            // The subscriber's reader has verified it by its digest before, and asks no more.
            assertThatThrownBy(this::verifyAnew).as(what).isInstanceOf(IOException.class);
            Files.write(file, whole);
            continue;
          }
          damaged++;
          assertThatThrownBy(subscriber::refresh).as(what).isInstanceOf(IOException.class);
          assertThat(version(subscriber)).as(what).isEqualTo(WHOLE_VERSIONS);
          assertThat(served(subscriber, predict)).as(what).isEqualTo(before);
          Files.write(file, whole);
        }
      }
      assertThat(damaged)
          .as("with the files of two older versions")
          .isGreaterThan(opened == null ? 45 : 30);
      assertThat(subscriber.status().refused()).isEqualTo(damaged);
      assertThat(subscriber.refresh()).as("it is whole again").isTrue();
      assertThat(version(subscriber)).isGreaterThanOrEqualTo(VERSIONS);
      assertThat(served(subscriber, predict)).isNotEqualTo(before);
    }
  }

  /** Reads the newest version, and those that it needs, without having seen anything before. */
  private void verifyAnew() throws IOException {
    ModelReader fresh = Objects.requireNonNull(opened).open();
    try {
      fresh.verify(fresh.current("app", 0).orElseThrow());
    } finally {
      if (fresh instanceof ModelStore objects) {
        objects.close();
      }
    }
  }

  private VirtualTimeLearner learner() throws InterruptedException {
    ApplicationSettings settings =
        LearnerSettings.gated(
            TablesWorld.settings(
                new RowSettings(100_000, RowPolicyName.FREQUENCY, 1, 1_000, Expiry.NEVER),
                RowUpdater.ADAGRAD),
            1_000,
            GateSettings.off(Metric.ACCURACY));
    EngineChoice engine = EngineChoice.of(EngineName.AUTO, settings.model(), null);
    return VirtualTimeLearner.of(
            settings,
            () -> engine.trainer("app", false),
            artifact -> engine.testedModels().load(artifact))
        .published(new StoredModels(store, local, "app", 0))
        .open();
  }

  /**
   * Sends samples until a number of versions are published; returns how many samples were sent in
   * all.
   */
  private int publish(VirtualTimeLearner learner, int from, int versions) throws Exception {
    int next = from;
    while (store.list("app", 0).size() < versions) {
      Sample sample = samples.get(next);
      learner.arrive(sample, new ContentHash(next, ~next));
      learner.pass(1_000);
      next++;
    }
    return next;
  }

  /** Another sample with these ids. */
  private static Sample with(Sample sample, IdLists ids) {
    return new Sample(sample.id(), sample.dense(), sample.categorical(), ids, sample.label());
  }

  private static long version(ModelSubscriber<?> subscriber) {
    return subscriber.current().orElseThrow().manifest().version();
  }

  private static <M> double[] served(ModelSubscriber<M> subscriber, Function<M, double[]> predict)
      throws InterruptedException {
    try (ModelLease<M> lease = subscriber.tryAcquire().orElseThrow()) {
      return predict.apply(lease.model());
    }
  }

  /** All that the newest version needs, except what the version has that serves. */
  private List<Path> neededFiles() throws IOException {
    ModelCheckpoint newest = store.current("app", 0).orElseThrow();
    List<Path> files = new ArrayList<>();
    for (ModelCheckpoint link : store.chain(newest)) {
      if (link.manifest().version() <= WHOLE_VERSIONS) {
        continue;
      }
      try (Stream<Path> of = Files.list(fileOf.apply(link.location()))) {
        of.filter(file -> link.digest().equals(newest.digest()) || ofRows(file))
            .forEach(files::add);
      }
    }
    return files;
  }

  private static boolean ofRows(Path file) {
    return file.endsWith(ModelManifest.ROWS_FILE) || file.endsWith("manifest.json");
  }

  /**
   * @return false if that changes nothing
   */
  private boolean damage(Path file, byte[] whole, Damage damage) throws IOException {
    if (damage == Damage.MISSING) {
      Files.delete(file);
      return true;
    }
    if (damage == Damage.ANOTHER_MANIFEST && !file.endsWith("manifest.json")) {
      return false;
    }
    byte[] changed =
        switch (damage) {
          case FLIPPED_BIT -> flipped(whole);
          case CUT -> Arrays.copyOf(whole, random.nextInt(whole.length));
          case EMPTY, MISSING -> new byte[0];
          case LONGER -> Arrays.copyOf(whole, whole.length + 1);
          case OF_THE_VERSION_BEFORE -> ofTheVersionBefore(file);
          case ANOTHER_MANIFEST -> createdLater(whole);
        };
    Files.write(file, changed);
    return !Arrays.equals(changed, whole);
  }

  private byte[] flipped(byte[] whole) {
    byte[] changed = whole.clone();
    changed[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
    return changed;
  }

  private static byte[] createdLater(byte[] manifest) throws IOException {
    ModelManifest whole = ModelReader.decoded(manifest, "manifest");
    return ModelReader.encoded(
        new ModelManifest(
            whole.formatVersion(),
            whole.application(),
            whole.partition(),
            whole.version(),
            whole.parentVersion(),
            whole.parentDigest(),
            whole.createdAtMillis() + 1,
            whole.inputOffsets(),
            whole.counts(),
            whole.metrics(),
            whole.attributes(),
            whole.files()));
  }

  private static byte[] ofTheVersionBefore(Path file) throws IOException {
    Path version = file.getParent();
    String name = version.getFileName().toString();
    String before = "v%010d".formatted(Long.parseLong(name.substring(1)) - 1);
    return Files.readAllBytes(version.resolveSibling(before).resolve(file.getFileName()));
  }
}
