package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelloader.serve.DoublePrecision;
import io.idlalayer.modelloader.serve.RandomModel;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What serves in plain Java predicts what the learner's own scorer predicts, the engine with
 * oneDNN. Both, and Deeplearning4j, are compared with double precision, in units of the largest
 * number that a network is given or gives. {@code -Didlalayer.parity.models=500} for the long form,
 * which says how far each is away.
 */
@Tag("natives")
final class ServedParityTest {
  private static final int MODELS = Integer.getInteger("idlalayer.parity.models", 12);
  private static final int SAMPLES = 60;

  @TempDir Path folder;

  /**
   * Largest error of each model.
   *
   * @param apart how far plain Java is from the engine
   */
  private record Errors(
      List<Double> plain, List<Double> engine, List<Double> dl4j, List<Double> apart) {
    Errors() {
      this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
  }

  /** Dot products may be larger than all that a network is given or gives. */
  private static double plainBound(RandomModel.Kind kind) {
    return kind == RandomModel.Kind.DLRM ? 6e-6 : 1e-6;
  }

  /** The engine adds in single precision, as many numbers as an image or a series has. */
  private static double engineBound(RandomModel.Kind kind) {
    return kind.placed() || kind == RandomModel.Kind.DLRM ? 6e-6 : 1e-6;
  }

  @ParameterizedTest
  @EnumSource
  void predictions_ofRandomModels_areThoseOfTheScorer(RandomModel.Kind kind) throws Exception {
    SplittableRandom seeds = new SplittableRandom(kind.name().hashCode());
    Errors errors = new Errors();
    for (int i = 0; i < 4 * MODELS && errors.engine().size() < MODELS; i++) {
      Path models = Files.createTempDirectory(folder, "models");
      compare(
          new RandomModel(kind, seeds.nextBoolean(), seeds.nextBoolean(), seeds.nextLong()),
          models,
          errors);
    }
    assertThat(errors.engine()).as("the engine knows this kind").hasSize(MODELS);
    report(kind, "plain Java", errors.plain());
    report(kind, "engine", errors.engine());
    report(kind, "Deeplearning4j", errors.dl4j());
    report(kind, "plain Java from engine", errors.apart());
    assertThat(errors.plain()).allMatch(error -> error < plainBound(kind));
    assertThat(errors.engine()).allMatch(error -> error < engineBound(kind));
    assertThat(errors.apart()).allMatch(error -> error < engineBound(kind));
  }

  private void compare(RandomModel random, Path models, Errors errors)
      throws IOException, InterruptedException {
    ModelStore store = new ModelStore(models, InstantSource.system());
    ModelCheckpoint version = random.publish(store, models);
    List<Sample> samples = random.samples(SAMPLES, false);
    IdVectors rows = RandomModel.rows(store, version, random.spec());
    EngineChoice engine;
    try {
      new Dl4jModelLoader().load(store, version).close();
      engine = EngineChoice.of(EngineName.AUTO, random.spec(), null);
    } catch (MalformedModelException | IllegalArgumentException unknown) {
      // One of the few random networks that Deeplearning4j or the engine cannot predict with.
      return;
    }
    DoublePrecision exact = DoublePrecision.of(store, version);
    double[][] expected = exact.predict(samples, rows);
    double[][] plain = new PlainModelLoader().load(store, version).predict(samples);
    errors.plain().add(largest(exact, samples, rows, plain, expected));
    ModelArtifact artifact = new ModelArtifact(store.load(version));
    try (TaskModel scorer = engine.testedModels().load(artifact);
        TaskModel dl4j = new Dl4jModelLoader().load(store, version)) {
      double[][] scored = scorer.predict(samples, rows);
      errors.engine().add(largest(exact, samples, rows, scored, expected));
      errors.apart().add(largest(exact, samples, rows, plain, scored));
      errors.dl4j().add(largest(exact, samples, rows, dl4j.predict(samples), expected));
    }
  }

  private static double largest(
      DoublePrecision exact,
      List<Sample> samples,
      IdVectors rows,
      double[][] predicted,
      double[][] expected) {
    double largest = 0;
    for (int i = 0; i < predicted.length; i++) {
      largest = Math.max(largest, exact.error(samples.get(i), rows, predicted[i], expected[i]));
    }
    return largest;
  }

  private static void report(RandomModel.Kind kind, String who, List<Double> errors) {
    List<Double> sorted = errors.stream().sorted().toList();
    System.getLogger(ServedParityTest.class.getName())
        .log(
            System.Logger.Level.INFO,
            () ->
                String.format(
                    Locale.ROOT,
                    "| %s | %s | %d | %.1e | %.1e | %.1e |",
                    kind,
                    who,
                    sorted.size(),
                    sorted.get(sorted.size() / 2),
                    sorted.get((int) (0.99 * (sorted.size() - 1))),
                    sorted.get(sorted.size() - 1)));
  }
}
