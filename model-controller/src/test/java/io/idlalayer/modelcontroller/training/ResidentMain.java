package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.evaluation.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A process that trains a network which needs 150 MiB of tensors, and prints how much more
 * anonymous memory it has while it trains than at rest, in bytes. Arguments: fast bytes, 0 for
 * training without placement; directory of the slow tensors; whether a scorer tests samples with
 * the first model meanwhile, and loads it again and again.
 */
final class ResidentMain {
  private static final int INPUTS = 256;
  private static final int WIDTH = 2048;
  private static final int ROWS = 96;
  private static final int TESTED_ROWS = 256;
  private static final int BATCHES_OF_A_MODEL = 4;
  private static final long SLOW_BYTES = 512L << 20;
  private static final long SAMPLE_MILLIS = 2;
  private static final long KIBI = 1024;

  private ResidentMain() {}

  public static void main(String[] arguments) throws Exception {
    long fastBytes = Long.parseLong(arguments[0]);
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(INPUTS, 2),
            new ModelSpec.Network.Mlp(List.of(WIDTH, WIDTH, WIDTH)),
            new ModelSpec.Fit(32, 1, ModelSpec.Updater.ADAM, 1e-4, 0),
            true);
    TensorShares shares = null;
    if (fastBytes > 0) {
      Path directory = Path.of(arguments[1]);
      shares =
          new TensorShares(
              "app",
              1,
              new TensorSettings(fastBytes, directory, SLOW_BYTES, PlacementName.CACHED_ARRAYS));
    }
    EngineChoice choice = EngineChoice.of(EngineName.ONEDNN, spec, shares);
    EngineChoice small =
        EngineChoice.of(EngineName.ONEDNN, Trainings.mlp(spec.schema(), spec.fit()), null);
    small.warmUp(System::nanoTime);
    long rest = anonymousBytes();
    try (Trainer trainer = choice.trainer("app-0", false)) {
      // The first one makes the network, which Deeplearning4j initialises in DRAM.
      TrainingResult first = trainer.train(request(null, 1));
      AtomicLong most = new AtomicLong();
      AtomicLong scored = new AtomicLong();
      ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
      try (Scorer scorer = new Scorer("scorer", choice.testedModels()::load)) {
        boolean tests = Boolean.parseBoolean(arguments[2]);
        ScoringBatch batch = batch();
        if (tests) {
          scorer.serve(first.model());
        }
        var unused =
            sampler.scheduleWithFixedDelay(
                () -> {
                  if (tests) {
                    score(scorer, batch, first.model(), scored);
                  }
                  most.accumulateAndGet(anonymousBytes(), Math::max);
                },
                0,
                SAMPLE_MILLIS,
                TimeUnit.MILLISECONDS);
        trainer.train(request(first.model(), 2));
        sampler.shutdownNow();
      }
      System.out.println("SCORED " + scored.get());
      System.out.println("MORE " + (most.get() - rest));
    }
  }

  private static void score(
      Scorer scorer, ScoringBatch batch, ModelArtifact model, AtomicLong scored) {
    for (var done = scorer.poll(); done.isPresent(); done = scorer.poll()) {
      if (scored.addAndGet(TESTED_ROWS) % (BATCHES_OF_A_MODEL * TESTED_ROWS) == 0) {
        scorer.serve(model);
      }
    }
    while (scorer.takesMore() && scorer.offer(batch)) {
      // Until enough are queued.
    }
  }

  private static ScoringBatch batch() {
    List<Sample> samples = rows(3, TESTED_ROWS).stream().map(TrainingRow::sample).toList();
    return new ScoringBatch(
        new long[TESTED_ROWS], samples, new float[TESTED_ROWS], new float[TESTED_ROWS]);
  }

  private static TrainingRequest request(@Nullable ModelArtifact base, int update) {
    return new TrainingRequest(base, new TrainingBatch(update, rows(update, ROWS)), 7);
  }

  private static List<TrainingRow> rows(int seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    List<TrainingRow> rows = new ArrayList<>();
    for (int row = 0; row < count; row++) {
      float[] dense = new float[INPUTS];
      for (int i = 0; i < dense.length; i++) {
        dense[i] = (float) random.nextGaussian();
      }
      rows.add(Trainings.row(row, Sample.of(dense, row % 2), 1));
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
