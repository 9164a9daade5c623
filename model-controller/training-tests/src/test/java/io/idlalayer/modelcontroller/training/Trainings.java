package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.deeplearning4j.Deeplearning4j;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;

/** Specifications, problems and batches that several tests use. */
public final class Trainings {
  public static final ModelSpec.Fit ADAM =
      new ModelSpec.Fit(32, 5, ModelSpec.Updater.ADAM, 0.01, 0);

  private Trainings() {}

  public static SampleSchema classes(int dense, int classes) {
    return schema(
        dense,
        new SampleSchema.Label(
            "y",
            Task.CLASSIFICATION,
            IntStream.range(0, classes).mapToObj(Integer::toString).toList()));
  }

  public static SampleSchema target(int dense) {
    return schema(dense, new SampleSchema.Label("y", Task.REGRESSION, List.of()));
  }

  private static SampleSchema schema(int dense, SampleSchema.Label label) {
    return new SampleSchema(
        List.of(), List.of(new DenseFeature("x", dense, 1)), List.of(), label, null);
  }

  /** A schema that reads missing numbers as 0. */
  static SampleSchema zeroForMissing(SampleSchema plain) {
    SampleSchema.Reading zero =
        new SampleSchema.Reading(SampleSchema.Missing.ZERO, false, List.of(), List.of());
    return new SampleSchema(
        List.of(),
        plain.dense().stream()
            .map(each -> new DenseFeature(each.name(), each.width(), each.scale(), zero))
            .toList(),
        plain.categorical(),
        plain.label(),
        null);
  }

  /** Two classes told by one categorical feature; the dense value is noise. */
  static SampleSchema categories(int buckets) {
    SampleSchema plain = classes(1, 2);
    return new SampleSchema(
        List.of(),
        plain.dense(),
        List.of(new CategoricalFeature("kind", buckets)),
        plain.label(),
        null);
  }

  static TrainingEngine dl4jEngine(ModelSpec spec) {
    return new Deeplearning4j().engine(spec);
  }

  public static Trainer dl4j(ModelSpec spec) {
    return dl4j(spec, false);
  }

  public static Trainer dl4j(ModelSpec spec, boolean heldOut) {
    return new NetworkTrainer(spec, heldOut, dl4jEngine(spec));
  }

  public static ModelSpec mlp(SampleSchema schema, ModelSpec.Fit fit) {
    return new ModelSpec(schema, new ModelSpec.Network.Mlp(List.of(16)), fit, true);
  }

  /** Points on either side of the line x0 = x1. */
  public static List<Sample> separable(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double[] x = {random.nextDouble(), random.nextDouble()};
      samples.add(Sample.of(x, x[0] > x[1] ? 1 : 0));
    }
    return samples;
  }

  /** Large targets: y = 1000 + 300 x0 - 200 x1. */
  static List<Sample> plane(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double[] x = {random.nextDouble() * 50, random.nextDouble() * 0.1f};
      samples.add(Sample.of(x, 1000 + 6 * x[0] - 2000 * x[1]));
    }
    return samples;
  }

  /** Images of 8 x 8 with a bright row (class 0) or a bright column (class 1). */
  static List<Sample> bars(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int label = random.nextInt(2);
      int line = random.nextInt(8);
      double[] pixels = new double[64];
      for (int k = 0; k < 8; k++) {
        pixels[label == 0 ? line * 8 + k : k * 8 + line] = 1;
      }
      samples.add(Sample.of(pixels, label));
    }
    return samples;
  }

  /** The network in a model's file, as DL4J reads it. */
  static Stacked stacked(byte[] zip) throws IOException {
    return new Stacked(
        ModelSerializer.restoreMultiLayerNetwork(new ByteArrayInputStream(zip), true));
  }

  record Stacked(MultiLayerNetwork network) implements AutoCloseable {
    @Override
    public void close() {
      network.close();
    }
  }

  /** A new sample of a content of its own, without a known loss. */
  static TrainingRow row(long id, Sample sample) {
    return row(id, id, sample);
  }

  static TrainingRow row(long id, long content, Sample sample) {
    return new TrainingRow(id, content, sample, Float.NaN, true);
  }

  /** A batch of new samples without known losses. */
  public static TrainingBatch batch(long update, List<Sample> samples) {
    return new TrainingBatch(
        update, IntStream.range(0, samples.size()).mapToObj(i -> row(i, samples.get(i))).toList());
  }

  static double accuracy(TaskModel model, List<Sample> samples) {
    double[][] predictions = model.predict(samples);
    int correct = 0;
    for (int i = 0; i < predictions.length; i++) {
      correct += predictions[i][1] > 0.5f == (samples.get(i).label() == 1) ? 1 : 0;
    }
    return (double) correct / predictions.length;
  }

  /** Returns Deeplearning4j's network with the parameters with which the engine begins. */
  public static ArrayNetwork initialised(ModelSpec spec, long seed) throws Exception {
    return NetworkFactory.decode(spec, EngineNetworks.newFile(spec, seed));
  }

  /** Asserts that trainings have led to models of the same bytes. */
  static void assertSameModels(List<TrainingResult> placed, List<TrainingResult> plain) {
    for (int i = 0; i < plain.size(); i++) {
      assertThat(placed.get(i).contributions()).isEqualTo(plain.get(i).contributions());
      assertThat(placed.get(i).model().files().keySet())
          .isEqualTo(plain.get(i).model().files().keySet());
      int update = i;
      plain
          .get(i)
          .model()
          .files()
          .forEach(
              (name, bytes) ->
                  assertThat(placed.get(update).model().files().get(name))
                      .as(name)
                      .isEqualTo(bytes));
    }
  }
}
