package io.idlalayer.jobs.cli.plan;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import io.idlalayer.modelcontroller.engine.CompiledStep;
import io.idlalayer.modelcontroller.engine.StepRecording;
import io.idlalayer.modelcontroller.engine.StepShapes;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelruntime.artifact.EngineName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The network of an application, as it trains on this machine with everything in fast memory.
 *
 * @param graph a training step, with the measured time of each kernel
 * @param rows rows of a mini-batch
 * @param parameterBytes bytes of the parameters
 * @param training measured time of a training; null if it could not be measured
 * @param remark why the training could not be measured; empty if it was
 * @param peaksOfParts peak memory, in bytes, of a training whose mini-batch is one of n equal
 *     parts, by the number of parts n
 * @param normalizesBatches whether rows of a mini-batch are normalized by one another
 */
record MeasuredNetwork(
    TaskGraph graph,
    int rows,
    long parameterBytes,
    @Nullable MeasuredTraining training,
    String remark,
    Map<Integer, Long> peaksOfParts,
    boolean normalizesBatches) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int MOST_PARTS = 8;

  /**
   * Compiles the network of an application and times it.
   *
   * @param nanoTime the time, in nanoseconds
   * @throws UsageException if iDlaLayer's engine does not train this network, or this machine has
   *     not enough memory for it
   */
  static MeasuredNetwork of(ApplicationSettings settings, LongSupplier nanoTime)
      throws InterruptedException {
    if (settings.engine() == EngineName.DEEPLEARNING4J) {
      // Whether this machine has the library makes no difference.
      throw new UsageException(notOwn("deeplearning4j", " (training.engine)"));
    }
    EngineChoice choice = choice(settings);
    EngineChoice.Description engine = choice.description();
    StepShapes shapes =
        choice
            .steps()
            .orElseThrow(() -> new UsageException(notOwn(engine.name(), ": " + engine.reason())));
    int rows = settings.model().fit().miniBatch();
    TaskGraph graph;
    try (CompiledStep step = shapes.compiled(rows)) {
      graph = StepRecording.record(step, nanoTime);
    } catch (OutOfMemoryError tooLittle) {
      throw new UsageException(
          "this machine has not enough memory to time a step of this network, which needs %s: %s"
              .formatted(Units.size(shapes.peakBytes(rows)), tooLittle.getMessage()));
    }
    Map<Integer, Long> peaks = new LinkedHashMap<>();
    for (int parts = 2; parts <= MOST_PARTS && rows >= parts; parts *= 2) {
      peaks.put(parts, shapes.peakBytes((rows + parts - 1) / parts));
    }
    String remark = "";
    MeasuredTraining training = null;
    try {
      training = choice.warmUp(nanoTime);
      remark = training == null ? "a first training takes more than ten seconds" : "";
    } catch (TrainingFailedException failed) {
      remark = "a first training failed: " + failed.getMessage();
    }
    return new MeasuredNetwork(
        graph, rows, shapes.parameterBytes(), training, remark, peaks, shapes.normalizesBatches());
  }

  private static String notOwn(String engine, String reason) {
    return "idla plan times the kernels of iDlaLayer's own engine, and %s trains this network%s"
        .formatted(engine, reason);
  }

  private static EngineChoice choice(ApplicationSettings settings) {
    try {
      return EngineChoice.of(settings.engine(), settings.model(), null);
    } catch (IllegalArgumentException refused) {
      throw new UsageException(String.valueOf(refused.getMessage()));
    }
  }

  /** Returns the seconds of a step with everything in fast memory. */
  double stepSeconds() {
    return graph.fastNanos() / NANOS_PER_SECOND;
  }

  /**
   * Returns the seconds of a training besides its steps, for reading and writing the network and
   * for preparing rows; 0 if unknown.
   *
   * @param epochs passes over each batch
   */
  double overheadSeconds(int epochs) {
    MeasuredTraining measured = training;
    if (measured == null) {
      return 0;
    }
    int miniBatches = (measured.rows() + rows - 1) / rows;
    double steps = (double) epochs * miniBatches;
    return Math.max(0, measured.seconds() - steps * stepSeconds());
  }
}
