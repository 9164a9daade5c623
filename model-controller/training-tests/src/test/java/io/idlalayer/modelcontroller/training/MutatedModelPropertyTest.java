package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Real models with bytes changed at random, from seeds: refused with one kind of exception, or
 * equal.
 */
@Tag("natives")
final class MutatedModelPropertyTest {
  private static final long PATIENCE_SECONDS = 300;
  private static final List<Sample> SAMPLES = Trainings.separable(8, 2);

  /** A thread that can be left behind if a file makes a reader hang. */
  private static final ExecutorService READER =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "reader");
            thread.setDaemon(true);
            return thread;
          });

  private static ModelArtifact stacked;
  private static ModelArtifact graph;
  private static double[][] expected;
  private static Path folder;
  private static ModelStore store;

  @BeforeContainer
  static void train() throws Exception {
    ModelSpec spec = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
    stacked = trained(spec);
    graph =
        trained(
            new ModelSpec(
                spec.schema(),
                SameDiffGraphs.network(SameDiffGraphs.residual(spec.schema())),
                spec.fit(),
                true));
    try (Dl4jModel model = Dl4jModel.load(stacked)) {
      expected = model.predict(SAMPLES);
    }
    folder = Files.createTempDirectory("mutated-models");
    store = new ModelStore(folder, InstantSource.system());
    store
        .claim("app", 0)
        .publish(
            new ModelDraft(
                "app",
                0,
                1,
                0,
                "",
                new TreeMap<>(),
                new TreeMap<>(Map.of("trainedNewSamples", 64L)),
                new TreeMap<>(),
                new TreeMap<>(),
                stacked.served()));
  }

  private static ModelArtifact trained(ModelSpec spec) throws Exception {
    try (Trainer trainer = Trainings.dl4j(spec)) {
      return trainer
          .train(new TrainingRequest(null, Trainings.batch(1, Trainings.separable(64, 1)), 3))
          .model();
    }
  }

  @AfterContainer
  static void remove() throws IOException {
    READER.shutdownNow();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** Flips, cuts, inserts, repeats, or puts numbers at the ends of their range. */
  private static byte[] mutated(byte[] good, SplittableRandom random) {
    byte[] bad = good.clone();
    int at = random.nextInt(bad.length);
    switch (random.nextInt(6)) {
      case 0 -> bad[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> bad = Arrays.copyOf(bad, at);
      case 2 -> bad[at] = (byte) random.nextInt(256);
      case 3 -> {
        bad = Arrays.copyOf(bad, bad.length + 1 + random.nextInt(20));
        System.arraycopy(good, at, bad, bad.length - (good.length - at), good.length - at);
      }
      case 4 -> {
        int to = random.nextInt(bad.length);
        int length = Math.min(random.nextInt(64), bad.length - Math.max(at, to));
        System.arraycopy(good, at, bad, to, length);
      }
      default -> {
        byte fill = (byte) (random.nextBoolean() ? 0xff : 0x7f);
        Arrays.fill(bad, at, Math.min(bad.length, at + 1 + random.nextInt(8)), fill);
      }
    }
    return bad;
  }

  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void load_publishedFilesChanged_refusesOrGivesTheSameModel(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    Path victim = files.get(random.nextInt(files.size()));
    byte[] good = Files.readAllBytes(victim);
    Files.write(victim, mutated(good, random));
    try {
      inTime(() -> assertServesTheSameOrRefuses(victim));
    } finally {
      Files.write(victim, good);
    }
  }

  private interface Check {
    void run() throws IOException;
  }

  private static void inTime(Check check) throws Exception {
    READER
        .submit(
            () -> {
              check.run();
              return null;
            })
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private static void assertServesTheSameOrRefuses(Path victim) throws IOException {
    try {
      Optional<ModelCheckpoint> current = store.current("app", 0);
      assertThat(current).as(victim.toString()).isPresent();
      try (Dl4jModel model = new Dl4jModelLoader().load(current.get(), store.load(current.get()))) {
        assertThat(model.predict(SAMPLES)).as(victim.toString()).isEqualTo(expected);
      }
    } catch (CorruptModelException refused) {
      assertThat(refused).hasMessageMatching("(?s).{10,}");
    }
  }

  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void load_artifactChanged_refusesOrGivesAModelThatPredicts(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> names = List.copyOf(stacked.served().keySet());
    String name = names.get(random.nextInt(names.size()));
    TreeMap<String, byte[]> files = new TreeMap<>(stacked.served());
    files.put(name, mutated(files.get(name), random));
    assertPredictsOrRefuses(files);
  }

  /** Entries changed and packed again, so that no sum of the zip gives them away. */
  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void load_entryChanged_refusesOrGivesAModelThatPredicts(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    ModelArtifact model = random.nextInt(3) == 0 ? graph : stacked;
    TreeMap<String, byte[]> files = new TreeMap<>(model.served());
    Map<String, byte[]> entries = ModelZips.entries(files.get(ModelArtifact.NETWORK_FILE));
    List<String> names = List.copyOf(entries.keySet());
    String name = names.get(random.nextInt(names.size()));
    entries.put(name, mutated(entries.get(name), random));
    files.put(ModelArtifact.NETWORK_FILE, ModelZips.zip(entries));
    assertPredictsOrRefuses(files);
  }

  @Property(tries = 1_000, shrinking = ShrinkingMode.OFF)
  @Tag("stress")
  void load_publishedFilesChanged_thousandTimes(@ForAll long seed) throws Exception {
    load_publishedFilesChanged_refusesOrGivesTheSameModel(seed);
  }

  @Property(tries = 1_000, shrinking = ShrinkingMode.OFF)
  @Tag("stress")
  void load_artifactChanged_thousandTimes(@ForAll long seed) throws Exception {
    load_artifactChanged_refusesOrGivesAModelThatPredicts(seed);
  }

  @Property(tries = 1_000, shrinking = ShrinkingMode.OFF)
  @Tag("stress")
  void load_entryChanged_thousandTimes(@ForAll long seed) throws Exception {
    load_entryChanged_refusesOrGivesAModelThatPredicts(seed);
  }

  private static void assertPredictsOrRefuses(SortedMap<String, byte[]> files) throws Exception {
    inTime(
        () -> {
          try (Dl4jModel model = Dl4jModel.load(new ModelArtifact(files))) {
            Sample sample = SAMPLES.get(0);
            assertThat(model.predict(List.of(sample))).hasDimensions(1, 2);
          } catch (MalformedModelException refused) {
            assertThat(refused).hasMessageMatching("(?s).{10,}");
          }
        });
  }
}
