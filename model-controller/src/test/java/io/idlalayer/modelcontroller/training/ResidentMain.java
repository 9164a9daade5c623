package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
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
 * training without placement; directory of the slow tensors.
 */
final class ResidentMain {
  private static final int INPUTS = 256;
  private static final int WIDTH = 2048;
  private static final int ROWS = 96;
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
      ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
      var unused =
          sampler.scheduleWithFixedDelay(
              () -> most.accumulateAndGet(anonymousBytes(), Math::max),
              0,
              SAMPLE_MILLIS,
              TimeUnit.MILLISECONDS);
      trainer.train(request(first.model(), 2));
      sampler.shutdownNow();
      System.out.println("MORE " + (most.get() - rest));
    }
  }

  private static TrainingRequest request(@Nullable ModelArtifact base, int update) {
    SplittableRandom random = new SplittableRandom(update);
    List<TrainingRow> rows = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      float[] dense = new float[INPUTS];
      for (int i = 0; i < dense.length; i++) {
        dense[i] = (float) random.nextGaussian();
      }
      rows.add(Trainings.row(row, Sample.of(dense, row % 2), 1));
    }
    return new TrainingRequest(base, new TrainingBatch(update, rows), 7);
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
