package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.CsvSampleDecoder;
import io.idlalayer.middleware.sample.text.TextForm;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Numbers far from 0 learn like these numbers with the offset taken off, in training and in every
 * way of serving.
 */
@Tag("natives")
final class OffsetLearningTest {
  private static final int ROWS = 600;
  private static final int PART = 200;
  private static final ModelSpec.Fit FIT =
      new ModelSpec.Fit(64, 4, ModelSpec.Updater.ADAM, 0.02, 0);
  private static final ModelSpec CLASSES = Trainings.mlp(Trainings.classes(2, 2), FIT);
  private static final ModelSpec TARGET = Trainings.mlp(Trainings.target(2), FIT);

  @TempDir Path folder;

  /** An offset with the steps in which numbers lie around it. */
  enum Place {
    EPOCH_MILLIS(1_700_000_000_000.0, 1_000),
    EPOCH_MICROS(1_700_000_000_000_000.0, 1),
    NORTHING(5_412_345, 0.05),
    MONEY(2_500_000_000.0, 0.01),
    ABOVE_FLOAT(1 << 24, 1),
    NEGATIVE(-1e9, 0.25),
    WHOLE(1L << 50, 3);

    private final double offset;
    private final double step;

    Place(double offset, double step) {
      this.offset = offset;
      this.step = step;
    }

    /** Part of the deviation of 100 steps by which numbers around the offset are rounded. */
    double rounding() {
      return Math.ulp(offset) / (29 * step);
    }
  }

  /** The predictions of the last model, by every way of serving. */
  private record Served(double[][] plain, double[][] dl4j) {}

  private static List<Sample> stream(
      boolean regression, double step, double offset, double targetStep, double targetOffset) {
    SplittableRandom random = new SplittableRandom(5);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      int a = random.nextInt(100);
      int b = random.nextInt(100);
      double[] dense = {offset + a * step, b};
      double label = regression ? targetOffset + (2 * a - b) * targetStep : a > 50 ? 1 : 0;
      samples.add(Sample.of(dense, label));
    }
    return samples;
  }

  private Served learned(ModelSpec spec, List<Sample> stream) throws Exception {
    SampleCodec codec = new SampleCodec();
    ModelArtifact model = null;
    try (Trainer trainer = Trainings.dl4j(spec)) {
      for (int from = 0, update = 1; from < ROWS; from += PART, update++) {
        List<Sample> part = new ArrayList<>();
        for (Sample sample : stream.subList(from, from + PART)) {
          part.add(codec.decode(codec.encode(sample)));
        }
        model =
            trainer
                .train(new TrainingRequest(model, Trainings.batch(update, part), update))
                .model();
      }
    }
    ModelStore store =
        new ModelStore(Files.createTempDirectory(folder, "models"), InstantSource.system());
    ModelCheckpoint published = store.claim("app", 0).publish(Drafts.of("app", model.served()));
    try (Dl4jModel dl4j = new Dl4jModelLoader().load(store, published)) {
      return new Served(
          new PlainModelLoader().load(store, published).predict(stream), dl4j.predict(stream));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFeatureFarFromZero_isLearnedLikeOneAroundIt(Place place) throws Exception {
    Served near = learned(CLASSES, stream(false, place.step, 0, 1, 0));
    List<Sample> far = stream(false, place.step, place.offset, 1, 0);
    Served found = learned(CLASSES, far);
    int right = 0;
    for (int i = 0; i < ROWS; i++) {
      assertThat(found.plain()[i][1])
          .isCloseTo(near.plain()[i][1], within(1e-3 + place.rounding()));
      assertThat(found.dl4j()[i][1]).isCloseTo(found.plain()[i][1], within(1e-5));
      right += found.plain()[i][1] > 0.5 == (far.get(i).label() == 1) ? 1 : 0;
    }
    assertThat(right).isGreaterThan(ROWS * 95 / 100);
  }

  @ParameterizedTest
  @EnumSource
  void aTargetFarFromZero_isLearnedLikeOneAroundIt(Place place) throws Exception {
    Place feature = Place.EPOCH_MILLIS;
    Served near = learned(TARGET, stream(true, feature.step, 0, place.step, 0));
    List<Sample> far = stream(true, feature.step, feature.offset, place.step, place.offset);
    Served found = learned(TARGET, far);
    double scale = 60 * place.step;
    for (int i = 0; i < ROWS; i++) {
      assertThat(found.plain()[i][0] - place.offset)
          .isCloseTo(near.plain()[i][0], within(1e-2 * scale));
      assertThat(found.dl4j()[i][0])
          .isCloseTo(found.plain()[i][0], within(1e-4 * scale + Math.ulp(place.offset)));
      assertThat(found.plain()[i][0]).isCloseTo(far.get(i).label(), within(1.5 * scale));
    }
  }

  /** Rows as in the public case 03e: northing 5,412,345.05 to .45, left or right of .25. */
  @Test
  void metresOfAMap_areDifferentSamplesAndLearned() throws Exception {
    CsvSampleDecoder decoder =
        new CsvSampleDecoder(
            new SampleSchema(
                List.of("northing", "other", "side"),
                List.of(DenseFeature.of("northing"), DenseFeature.of("other")),
                List.of(),
                new SampleSchema.Label("side", Task.CLASSIFICATION, List.of("left", "right")),
                null),
            TextForm.PLAIN);
    SplittableRandom random = new SplittableRandom(3);
    List<Sample> samples = new ArrayList<>();
    Set<ContentHash> contents = new HashSet<>();
    for (int i = 0; i < ROWS; i++) {
      int tenths = 500 + random.nextInt(4_000);
      String row =
          String.format(
              Locale.ROOT,
              "5412345.%04d,%d,%s",
              tenths,
              random.nextInt(100_000),
              tenths < 2_500 ? "left" : "right");
      samples.add(decoder.decode(row.getBytes(StandardCharsets.UTF_8)));
      contents.add(ContentHasher.of(samples.get(i)));
    }
    assertThat(contents).hasSize(ROWS);
    Served served = learned(CLASSES, samples);
    long right =
        IntStream.range(0, ROWS)
            .filter(i -> served.plain()[i][1] > 0.5 == (samples.get(i).label() == 1))
            .count();
    assertThat(right).isGreaterThan(ROWS * 95 / 100);
  }

  @Test
  void numbersThatEvenDoublesCannotTellApart_areNamed() throws Exception {
    List<Sample> stream = new ArrayList<>();
    for (int i = 0; i < PART; i++) {
      stream.add(Sample.of(new double[] {1.7e18 + 256 * (i % 10), i}, i % 2));
    }
    try (Trainer trainer = Trainings.dl4j(CLASSES)) {
      TrainingResult result =
          trainer.train(new TrainingRequest(null, Trainings.batch(1, stream), 1));
      assertThat(result.coarse()).hasSize(1);
      assertThat(result.coarse().get(0).warning())
          .startsWith("the numbers of 'x[0]' are around 1.70000e+18 and vary by ")
          .contains("64 bits");
    }
  }
}
