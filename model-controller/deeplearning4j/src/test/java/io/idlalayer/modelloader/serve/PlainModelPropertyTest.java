package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.input.NetworkInput;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/** Plain Java predicts what Deeplearning4j predicts. */
@Tag("natives")
final class PlainModelPropertyTest {
  private static final double RELATIVE = 1e-6;

  /**
   * What is between the layers may be larger than all that a network is given or gives: dot
   * products, and sums over images and steps. Twice the largest difference of 4,000 models.
   */
  private static final double RELATIVE_OF_LONG_SUMS = 6e-6;

  private static final int THREADS = 8;

  private Path folder = Path.of("");

  @BeforeTry
  void makeFolder() throws IOException {
    folder = Files.createTempDirectory("plain-model");
  }

  @AfterTry
  void deleteFolder() throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void predictions_ofRandomModels_areThoseOfDeeplearning4j(
      @ForAll RandomModel.Kind kind,
      @ForAll boolean regression,
      @ForAll boolean standardize,
      @ForAll boolean extreme,
      @ForAll long seed)
      throws Exception {
    RandomModel random = new RandomModel(kind, regression, standardize, seed);
    ModelStore models = new ModelStore(folder, InstantSource.system());
    ModelCheckpoint version = random.publish(models, folder);
    Assume.that(predicts(models, version));
    PlainModel plain = new PlainModelLoader().load(models, version);
    List<Sample> samples = random.samples(150, extreme);
    double[][] found = plain.predict(samples);
    FeatureScaler scaler =
        FeatureScaler.decode(models.load(version).get(ModelArtifact.SCALER_FILE));
    double unit =
        regression ? Math.max(1, scaler.target().unscaled(1) - scaler.target().unscaled(0)) : 1;
    double relative =
        kind.placed() || kind == RandomModel.Kind.DLRM ? RELATIVE_OF_LONG_SUMS : RELATIVE;
    NetworkInput inputs = new NetworkInput(random.spec());
    try (Dl4jModel reference = new Dl4jModelLoader().load(models, version)) {
      double[][] expected = reference.predict(samples);
      for (int i = 0; i < expected.length; i++) {
        assertThat(found[i]).hasSameSizeAs(expected[i]);
        double given =
            largestOf(inputs.features(samples.subList(i, i + 1), scaler, IdVectors.NONE));
        double largest = Math.max(given * unit, largest(expected[i]));
        for (int k = 0; k < expected[i].length; k++) {
          assertThat(found[i][k]).isCloseTo(expected[i][k], within(relative * largest));
        }
      }
      assertThat(plain.unknownIds()).isEqualTo(reference.unknownIds());
    }
    for (int i = 0; i < 5; i++) {
      assertThat(plain.predict(samples.get(i))).isEqualTo(found[i]);
    }
  }

  /** Deeplearning4j rounds too; this is what plain Java itself adds. */
  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void predictions_ofRandomModels_areThoseOfDoublePrecision(
      @ForAll RandomModel.Kind kind,
      @ForAll boolean regression,
      @ForAll boolean standardize,
      @ForAll long seed)
      throws Exception {
    RandomModel random = new RandomModel(kind, regression, standardize, seed);
    ModelStore models = new ModelStore(folder, InstantSource.system());
    ModelCheckpoint version = random.publish(models, folder);
    Assume.that(predicts(models, version));
    List<Sample> samples = random.samples(60, false);
    IdVectors rows = RandomModel.rows(models, version, random.spec());
    DoublePrecision exact = DoublePrecision.of(models, version);
    double[][] expected = exact.predict(samples, rows);
    double[][] found = new PlainModelLoader().load(models, version).predict(samples);
    for (int i = 0; i < found.length; i++) {
      assertThat(exact.error(samples.get(i), rows, found[i], expected[i]))
          .isLessThan(kind == RandomModel.Kind.DLRM ? RELATIVE_OF_LONG_SUMS : RELATIVE);
    }
  }

  /**
   * With a few random networks Deeplearning4j cannot predict: the strides of their filters are too
   * large, or its check of workspaces fails.
   */
  private static boolean predicts(ModelStore models, ModelCheckpoint version) throws IOException {
    try {
      new Dl4jModelLoader().load(models, version).close();
      return true;
    } catch (MalformedModelException refused) {
      return false;
    }
  }

  /** Rounding is in units of this: both add numbers of this size, in another order. */
  private static double largestOf(float[] values) {
    return IntStream.range(0, values.length)
        .mapToDouble(i -> Math.abs(values[i]))
        .reduce(1, Math::max);
  }

  private static double largest(double[] values) {
    double largest = 1;
    for (double value : values) {
      largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }

  @Property(tries = 8, shrinking = ShrinkingMode.OFF)
  void predictions_fromEightThreads_areTheSame(@ForAll RandomModel.Kind kind, @ForAll long seed)
      throws Exception {
    RandomModel random = new RandomModel(kind, false, true, seed);
    ModelStore models = new ModelStore(folder, InstantSource.system());
    ModelCheckpoint version = random.publish(models, folder);
    Assume.that(predicts(models, version));
    PlainModel plain = new PlainModelLoader().load(models, version);
    List<Sample> samples = random.samples(300, false);
    double[][] expected = plain.predict(samples);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<double[][]>> calls = new ArrayList<>();
      for (int i = 0; i < THREADS * 4; i++) {
        calls.add(() -> plain.predict(samples));
      }
      for (Future<double[][]> each : threads.invokeAll(calls)) {
        assertThat(each.get()).isDeepEqualTo(expected);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
