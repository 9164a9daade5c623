package io.idlalayer.modelcontroller.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class StepRecordingTest {
  private static final ModelSpec SPEC =
      new ModelSpec(
          new SampleSchema(
              List.of(),
              List.of(new SampleSchema.DenseFeature("x", 8, 1)),
              List.of(),
              new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("a", "b")),
              null),
          new ModelSpec.Network.Mlp(List.of(16, 16)),
          new ModelSpec.Fit(4, 1, ModelSpec.Updater.ADAM, 0.01, 0),
          false);

  private static StepShapes shapes() throws Exception {
    return new StepShapes(
        SPEC, EngineNetworks.plan(SPEC, true, new NetworkForms()), new JavaKernels());
  }

  /** Each look at the clock takes seven nanoseconds, and each kernel takes one look more. */
  @Test
  void record_anyNetwork_hasTheTimeOfEachKernel() throws Exception {
    AtomicLong clock = new AtomicLong();
    try (CompiledStep step = shapes().compiled(4)) {
      TaskGraph graph = StepRecording.record(step, () -> clock.addAndGet(7));
      assertThat(graph.kernels()).hasSize(step.tape().steps().size() + step.inputs().size());
      assertThat(graph.kernels()).allSatisfy(it -> assertThat(it.fastNanos()).isEqualTo(7));
      assertThat(graph.peakBytes()).isPositive();
      // Twelve runs were started, of which nine were timed.
      long looks = clock.get() / 7;
      assertThat(looks).isBetween(18L * graph.kernels().size(), 18L * graph.kernels().size() + 20);
    }
  }

  @Test
  void record_slowNetwork_isTimedThreeTimes() throws Exception {
    AtomicLong looks = new AtomicLong();
    try (CompiledStep step = shapes().compiled(4)) {
      TaskGraph graph = StepRecording.record(step, () -> looks.incrementAndGet() * 30_000_000_000L);
      assertThat(looks.get())
          .isBetween(6L * graph.kernels().size(), 6L * graph.kernels().size() + 5);
    }
  }

  @Test
  void peakBytes_ofFewerRows_areFewer() throws Exception {
    StepShapes shapes = shapes();
    assertThat(shapes.peakBytes(2)).isLessThan(shapes.peakBytes(4));
    assertThat(shapes.parameterBytes()).isEqualTo(4L * (8 * 16 + 16 + 16 * 16 + 16 + 16 * 2 + 2));
    assertThat(shapes.normalizesBatches()).isFalse();
  }
}
