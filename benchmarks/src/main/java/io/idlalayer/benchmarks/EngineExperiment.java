package io.idlalayer.benchmarks;

import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.benchmarks.tensors.NetScale;
import io.idlalayer.benchmarks.tensors.ReferenceNet;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.TrainableNetwork;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingEngine;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.training.TrainingSteps;
import io.idlalayer.modelloader.nd4j.Dl4jRuntime;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Both training engines in one process, in turn: single steps, and whole updates with scaling,
 * losses, norms, model files and publication. Usage: {@code EngineExperiment [rounds [network
 * ...]]}; without networks all steps are measured. Times depend on {@code OMP_NUM_THREADS}.
 */
public final class EngineExperiment {
  private static final int BATCH = 32;
  private static final int NEW_ROWS = 1_000;
  private static final int REPLAYED_ROWS = 512;
  private static final int EPOCHS = 2;

  private static final int KEPT_VERSIONS = 5;

  /** Updates of the faster engine before the first that counts. */
  private static final int WARM_UP = 600;

  private static final ModelSpec SMALL = mlp(6, List.of(64, 32), 2);

  private EngineExperiment() {}

  /** A network to train, with how much of it is one measurement. */
  private record Subject(String name, ModelSpec spec, int warmUp, int steps) {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 15;
    List<String> wanted = List.of(args).subList(Math.min(1, args.length), args.length);
    System.out.printf("oneDNN and %s, %d rounds%n%n", Dl4jRuntime.describe(), rounds);
    List<Subject> subjects =
        List.of(
            new Subject("mlp 6-64-32-2", SMALL, 600, 200),
            new Subject("mlp 784-512-512-10", mlp(784, List.of(512, 512), 10), 20, 10),
            new Subject("cnn 28x28, 8 and 16 filters", cnn(), 8, 4),
            reference("vgg-s", "64x64x3"),
            reference("resnet-s", "64x64x3"),
            reference("densenet-s", "64x64x3"),
            reference("inception-s", "64x64x3"),
            reference("lstm-s", "16 steps of 64"));
    System.out.println(
        "| step of 32 rows | oneDNN, us, median (min..max) | Deeplearning4j, us | ratio of medians,"
            + " with its interval | kernels alone (changes of form and sweeps of LSTM cells"
            + " included), us | share |");
    System.out.println("|---|---|---|---|---|---|");
    for (Subject subject : subjects) {
      if (wanted.isEmpty() || wanted.stream().anyMatch(subject.name()::startsWith)) {
        steps(subject, rounds);
      }
    }
    System.out.printf(
        "%n| update of mlp 6-64-32-2, %d epochs | oneDNN, ms, median (min..max) | of it publication"
            + " | of it deleting an old version | Deeplearning4j, ms | ratio of medians, with its"
            + " interval | heap allocated, oneDNN, KB | Deeplearning4j, KB |%n",
        EPOCHS);
    System.out.println("|---|---|---|---|---|---|---|---|");
    updates(REPLAYED_ROWS, rounds);
    updates(0, rounds);
    System.exit(0);
  }

  static SampleSchema schema(int width, int classes) {
    return new SampleSchema(
        List.of(),
        List.of(new DenseFeature("x", width, 1)),
        List.of(),
        new SampleSchema.Label(
            "y",
            Task.CLASSIFICATION,
            IntStream.range(0, classes).mapToObj(Integer::toString).toList()),
        null);
  }

  private static ModelSpec mlp(int width, List<Integer> hidden, int classes) {
    return new ModelSpec(schema(width, classes), new ModelSpec.Network.Mlp(hidden), fit(), true);
  }

  private static ModelSpec cnn() {
    return new ModelSpec(
        schema(784, 10), new ModelSpec.Network.Cnn(28, 28, 1, List.of(8, 16), 64), fit(), false);
  }

  private static Subject reference(String net, String inputs) {
    ModelSpec spec = ReferenceNet.of(net).spec(new NetScale(1));
    return new Subject(net + " " + inputs, spec, 1, 1);
  }

  private static ModelSpec.Fit fit() {
    return new ModelSpec.Fit(BATCH, EPOCHS, ModelSpec.Updater.ADAM, 0.001, 0);
  }

  private static double[] doubles(float[] values) {
    return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
  }

  private static float[] values(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) random.nextDouble();
    }
    return values;
  }

  // ---- steps ------------------------------------------------------------------------------------

  private static void steps(Subject subject, int rounds) throws Exception {
    ModelSpec spec = subject.spec();
    double[] ours = new double[rounds];
    double[] theirs = new double[rounds];
    double[] kernels = new double[rounds];
    try (TrainingEngine own = engine(EngineName.ONEDNN, spec).engine("ours");
        TrainingEngine dl4j = engine(EngineName.DEEPLEARNING4J, spec).engine("theirs");
        TrainableNetwork one = own.create(1);
        TrainableNetwork other = dl4j.create(1);
        BareKernels bare = new BareKernels(spec, BATCH)) {
      micros(one, spec, subject.warmUp());
      micros(other, spec, subject.warmUp());
      bare.micros(subject.warmUp());
      for (int i = 0; i < rounds; i++) {
        ours[i] = micros(one, spec, subject.steps());
        theirs[i] = micros(other, spec, subject.steps());
        kernels[i] = bare.micros(subject.steps());
      }
    }
    System.out.printf(
        "| %s | %s | %s | %s | %s | %.2f |%n",
        subject.name(),
        Repeats.of(ours).text("%.1f"),
        Repeats.of(theirs).text("%.0f"),
        ratio(theirs, ours),
        Repeats.of(kernels).text("%.1f"),
        Repeats.of(kernels).median() / Repeats.of(ours).median());
  }

  private static EngineChoice engine(EngineName name, ModelSpec spec) {
    return EngineChoice.of(name, spec, null);
  }

  /** Microseconds of one step, mean of some. */
  private static double micros(TrainableNetwork network, ModelSpec spec, int count)
      throws Exception {
    float[] features = values(BATCH * spec.inputWidth(), 1);
    float[] labels = new float[BATCH * spec.outputWidth()];
    for (int row = 0; row < BATCH; row++) {
      labels[row * spec.outputWidth() + row % spec.outputWidth()] = 1;
    }
    try (TrainingSteps steps = network.steps(1)) {
      long start = System.nanoTime();
      for (int i = 0; i < count; i++) {
        steps.fit(features, labels, BATCH, null);
      }
      return (System.nanoTime() - start) / 1e3 / count;
    }
  }

  // ---- updates ----------------------------------------------------------------------------------

  private static void updates(int replayedRows, int rounds) throws Exception {
    ModelSpec spec = SMALL;
    TrainingBatch batch = batch(spec, replayedRows);
    Path folder = Files.createTempDirectory("engine-experiment");
    ModelStore store = new ModelStore(folder, InstantSource.system());
    Measured ours = new Measured("ours", rounds, store);
    Measured theirs = new Measured("theirs", rounds, store);
    try (Trainer one = engine(EngineName.ONEDNN, spec).trainer("ours", false);
        Trainer other = engine(EngineName.DEEPLEARNING4J, spec).trainer("theirs", false)) {
      // About the same time for both.
      for (int i = 0; i < WARM_UP; i++) {
        ours.update(one, batch, -1);
      }
      for (int i = 0; i < WARM_UP / 30; i++) {
        theirs.update(other, batch, -1);
      }
      for (int i = 0; i < rounds; i++) {
        ours.update(one, batch, i);
        theirs.update(other, batch, i);
      }
    }
    WorkFolder.delete(folder);
    System.out.printf(
        "| %,d new and %d replayed rows | %s | %s | %s | %s | %s | %.0f | %.0f |%n",
        NEW_ROWS,
        replayedRows,
        Repeats.of(ours.millis).text("%.2f"),
        Repeats.of(ours.publicationMillis).text("%.2f"),
        Repeats.of(ours.deletionMillis).text("%.2f"),
        Repeats.of(theirs.millis).text("%.0f"),
        ratio(theirs.millis, ours.millis),
        ours.kilobytes / rounds,
        theirs.kilobytes / rounds);
  }

  private static TrainingBatch batch(ModelSpec spec, int replayedRows) {
    List<TrainingRow> rows = new ArrayList<>();
    int width = spec.schema().denseWidth();
    for (int i = 0; i < NEW_ROWS + replayedRows; i++) {
      Sample sample = Sample.of(doubles(values(width, i)), i % spec.outputWidth());
      rows.add(new TrainingRow(i, i, sample, Float.NaN, i < NEW_ROWS));
    }
    return new TrainingBatch(1, rows);
  }

  /** What the updates of one engine cost. */
  private static final class Measured {
    final double[] millis;
    final double[] publicationMillis;
    final double[] deletionMillis;
    private final String name;
    private final ModelPublisher publisher;
    double kilobytes;
    private @Nullable ModelArtifact model;

    Measured(String name, int rounds, ModelStore store) throws IOException {
      this.name = name;
      millis = new double[rounds];
      publicationMillis = new double[rounds];
      deletionMillis = new double[rounds];
      publisher = store.claim(name, 0);
    }

    void update(Trainer trainer, TrainingBatch batch, int round) throws Exception {
      com.sun.management.ThreadMXBean threads =
          (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
      long bytesBefore = threads.getCurrentThreadAllocatedBytes();
      long start = System.nanoTime();
      TrainingResult result = trainer.train(new TrainingRequest(model, batch, round + 100));
      long trained = System.nanoTime();
      publish(result.model());
      long published = System.nanoTime();
      var unused = publisher.cleanUp(KEPT_VERSIONS, Set.of());
      long end = System.nanoTime();
      if (round >= 0) {
        millis[round] = (end - start) / 1e6;
        publicationMillis[round] = (published - trained) / 1e6;
        deletionMillis[round] = (end - published) / 1e6;
        kilobytes += (threads.getCurrentThreadAllocatedBytes() - bytesBefore) / 1024.0;
      }
      model = result.model();
    }

    /** Publishes a model as a job does. */
    private void publish(ModelArtifact artifact) throws IOException {
      publisher.publish(
          new ModelDraft(
              name,
              0,
              1,
              0,
              "",
              new TreeMap<>(),
              new TreeMap<>(),
              new TreeMap<>(),
              new TreeMap<>(),
              new TreeMap<>(artifact.files())));
    }
  }

  /** Median of the ratios of the rounds, with the interval that holds it with 95 % (binomial). */
  private static String ratio(double[] slow, double[] fast) {
    double[] ratios = new double[slow.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = slow[i] / fast[i];
    }
    Arrays.sort(ratios);
    int n = ratios.length;
    int low = Math.max(0, (int) Math.floor((n - 1.96 * Math.sqrt(n)) / 2));
    int high = Math.min(n - 1, (int) Math.ceil((n + 1.96 * Math.sqrt(n)) / 2));
    return "%.1f (%.1f..%.1f)".formatted(ratios[n / 2], ratios[low], ratios[high]);
  }
}
