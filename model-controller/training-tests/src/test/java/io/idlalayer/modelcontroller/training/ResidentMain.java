package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A process that trains a network which needs more than 80 MiB of tensors, and prints how much more
 * anonymous memory it has while it trains than at rest, in bytes. Arguments: {@link Net}; number of
 * learners, which train at the same time; fast bytes of all together, 0 for training without
 * placement; directory of the slow tensors; whether a scorer tests samples with the first model
 * meanwhile, and loads it again and again.
 */
final class ResidentMain {
  private static final int TESTED_ROWS = 256;
  private static final int BATCHES_OF_A_MODEL = 4;
  private static final long SLOW_BYTES = 512L << 20;
  private static final long SAMPLE_MILLIS = 2;
  private static final long KIBI = 1024;
  private static final long ENDS_SECONDS = 60;

  /** What is trained. */
  enum Net {
    /** 150 MiB, most of them parameters and updater state. */
    DENSE(256, 32, 96),
    /** Convolutions: most bytes are activations. */
    IMAGES(64 * 64, 128, 128),
    /** Long short-term memory: most bytes are workspaces. Gradients are limited. */
    SERIES(Net.SERIES_INPUTS * Net.SERIES_STEPS, 128, 128);

    private static final int SERIES_INPUTS = 16;
    private static final int SERIES_STEPS = 128;
    private static final int WIDTH = 2048;

    private final int inputs;
    private final int miniBatch;
    private final int rows;

    Net(int inputs, int miniBatch, int rows) {
      this.inputs = inputs;
      this.miniBatch = miniBatch;
      this.rows = rows;
    }

    private ModelSpec spec() {
      return new ModelSpec(
          Trainings.classes(inputs, 2),
          network(),
          new ModelSpec.Fit(miniBatch, 1, ModelSpec.Updater.ADAM, 1e-4, 0),
          true);
    }

    private ModelSpec.Network network() {
      return switch (this) {
        case DENSE -> new ModelSpec.Network.Mlp(List.of(WIDTH, WIDTH, WIDTH));
        case IMAGES -> new ModelSpec.Network.Cnn(64, 64, 1, List.of(16, 16), 16);
        case SERIES ->
            new ModelSpec.Network.Dl4jJson(
                TestNetworks.limitedSeries(SERIES_INPUTS, SERIES_STEPS, 128).toJson());
      };
    }
  }

  private ResidentMain() {}

  public static void main(String[] arguments) throws Exception {
    Net net = Net.valueOf(arguments[0]);
    int learners = Integer.parseInt(arguments[1]);
    ModelSpec spec = net.spec();
    EngineChoice choice =
        EngineChoice.of(
            EngineName.ONEDNN, spec, shares(learners, Long.parseLong(arguments[2]), arguments[3]));
    EngineChoice small =
        EngineChoice.of(
            EngineName.ONEDNN,
            Trainings.mlp(
                Trainings.classes(4, 2), new ModelSpec.Fit(32, 1, ModelSpec.Updater.ADAM, 1e-4, 0)),
            null);
    small.warmUp(System::nanoTime);
    long rest = anonymousBytes();
    List<Trainer> trainers = new ArrayList<>();
    try {
      List<ModelArtifact> first = new ArrayList<>();
      for (int learner = 0; learner < learners; learner++) {
        Trainer trainer = choice.trainer("app-" + learner, false);
        trainers.add(trainer);
        // The first one makes the network, which Deeplearning4j initialises in DRAM.
        first.add(trainer.train(request(net, null, 1)).model());
      }
      AtomicLong most = new AtomicLong();
      AtomicLong scored = new AtomicLong();
      ScheduledExecutorService sampler =
          Executors.newSingleThreadScheduledExecutor(ResidentMain::daemon);
      try (Scorer scorer = new Scorer("scorer", choice.testedModels()::load)) {
        boolean tests = Boolean.parseBoolean(arguments[4]);
        ScoringBatch batch = batch(net);
        if (tests) {
          scorer.serve(first.get(0), null);
        }
        var unused =
            sampler.scheduleWithFixedDelay(
                () -> {
                  if (tests) {
                    score(scorer, batch, first.get(0), scored);
                  }
                  most.accumulateAndGet(anonymousBytes(), Math::max);
                },
                0,
                SAMPLE_MILLIS,
                TimeUnit.MILLISECONDS);
        trainAgain(net, trainers, first);
      } finally {
        sampler.shutdownNow();
      }
      System.out.println("SCORED " + scored.get());
      System.out.println("MORE " + (most.get() - rest));
    } finally {
      trainers.forEach(Trainer::close);
    }
  }

  /** The process ends with its main thread, whatever has failed. */
  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  private static @Nullable TensorShares shares(int parts, long fastBytes, String directory) {
    if (fastBytes == 0) {
      return null;
    }
    TensorSettings all =
        new TensorSettings(fastBytes, Path.of(directory), SLOW_BYTES, PlacementName.CACHED_ARRAYS);
    return new TensorShares("app", parts, all.part(parts, 1));
  }

  /** All at the same time. */
  private static void trainAgain(Net net, List<Trainer> trainers, List<ModelArtifact> first)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(trainers.size(), ResidentMain::daemon);
    List<Future<TrainingResult>> running = new ArrayList<>();
    for (int i = 0; i < trainers.size(); i++) {
      Trainer trainer = trainers.get(i);
      TrainingRequest request = request(net, first.get(i), 2);
      running.add(threads.submit(() -> trainer.train(request)));
    }
    try {
      for (Future<TrainingResult> each : running) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
      // The trainers are closed next, and no thread may train with one then.
      if (!threads.awaitTermination(ENDS_SECONDS, TimeUnit.SECONDS)) {
        System.out.println("a training goes on although it was interrupted");
      }
    }
  }

  private static void score(
      Scorer scorer, ScoringBatch batch, ModelArtifact model, AtomicLong scored) {
    for (var done = scorer.poll(); done.isPresent(); done = scorer.poll()) {
      if (scored.addAndGet(TESTED_ROWS) % (BATCHES_OF_A_MODEL * TESTED_ROWS) == 0) {
        scorer.serve(model, null);
      }
    }
    while (scorer.takesMore() && scorer.offer(batch)) {
      // Until enough are queued.
    }
  }

  private static ScoringBatch batch(Net net) {
    List<Sample> samples = rows(net, 3, TESTED_ROWS).stream().map(TrainingRow::sample).toList();
    return new ScoringBatch(
        new long[TESTED_ROWS], samples, new double[TESTED_ROWS], new double[TESTED_ROWS]);
  }

  private static TrainingRequest request(Net net, @Nullable ModelArtifact base, int update) {
    return new TrainingRequest(base, new TrainingBatch(update, rows(net, update, net.rows)), 7);
  }

  private static List<TrainingRow> rows(Net net, int seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    List<TrainingRow> rows = new ArrayList<>();
    for (int row = 0; row < count; row++) {
      double[] dense = new double[net.inputs];
      for (int i = 0; i < dense.length; i++) {
        dense[i] = (float) random.nextGaussian();
      }
      rows.add(Trainings.row(row, Sample.of(dense, row % 2)));
    }
    return rows;
  }

  private static long anonymousBytes() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("RssAnon:")) {
          return KIBI * Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    throw new IllegalStateException("/proc/self/status has no RssAnon");
  }
}
