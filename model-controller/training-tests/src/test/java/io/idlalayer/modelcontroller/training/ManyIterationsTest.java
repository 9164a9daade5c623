package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Networks that were trained for months: their counts of iterations come to an end. */
@Tag("natives")
final class ManyIterationsTest {
  private static final SampleSchema SCHEMA = Trainings.classes(2, 2);
  private static final int ROWS = 16;

  /** The iteration count in Deeplearning4j's and in SameDiff's files. */
  private static final Pattern COUNT =
      Pattern.compile("(\n  \"iterationCount\" : |\"iterations\":)(-?\\d+)");

  /** Adam's corrections are 1 from here on. */
  private static final int MANY = 1_000_000;

  private static final int[] COUNTS = {
    999_999_999, 1_000_000_000, Progress.MOST_ITERATIONS - 1, Integer.MAX_VALUE, -5
  };

  private static ModelSpec spec(ModelSpec.Network network) {
    return new ModelSpec(SCHEMA, network, Trainings.ADAM, true);
  }

  private static byte[] counting(byte[] file, int iterations) throws Exception {
    Map<String, byte[]> entries = ModelZips.entries(file);
    entries.replaceAll(
        (name, content) ->
            name.endsWith(".json")
                ? COUNT
                    .matcher(new String(content, StandardCharsets.UTF_8))
                    .replaceFirst("$1" + iterations)
                    .getBytes(StandardCharsets.UTF_8)
                : content);
    return ModelZips.zip(entries);
  }

  private static int count(byte[] file) throws Exception {
    for (Map.Entry<String, byte[]> each : ModelZips.entries(file).entrySet()) {
      Matcher found = COUNT.matcher(new String(each.getValue(), StandardCharsets.UTF_8));
      if (each.getKey().endsWith(".json") && found.find()) {
        return Integer.parseInt(found.group(2));
      }
    }
    throw new AssertionError("the file counts no iterations");
  }

  private static void train(TrainableNetwork network) throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = 0; step < 4; step++) {
        steps.fit(Parity.features(random, 2 * ROWS, 1), Parity.labels(random, ROWS, 2), ROWS, null);
      }
    }
  }

  private static byte[] begun(TrainingEngine engine) throws Exception {
    try (TrainableNetwork network = engine.create(1)) {
      train(network);
      return network.encode();
    }
  }

  private static byte[] trained(TrainingEngine engine, byte[] file, int iterations)
      throws Exception {
    try (TrainableNetwork network = engine.decode(counting(file, iterations))) {
      train(network);
      assertThat(network.finite()).isTrue();
      return network.encode();
    }
  }

  private static void assertStepsAsBefore(TrainingEngine engine, int[] counts) throws Exception {
    try (engine) {
      byte[] file = begun(engine);
      byte[] expected = trained(engine, file, MANY);
      assertThat(count(expected)).isEqualTo(MANY + 4);
      for (int count : counts) {
        byte[] found = trained(engine, file, count);
        assertThat(counting(found, 0)).as("at %d", count).isEqualTo(counting(expected, 0));
        assertThat(count(found)).isGreaterThan(Math.max(0, count - 2));
      }
    }
  }

  @Test
  void fit_atTheEndOfTheCount_stepsAsBefore() throws Exception {
    ModelSpec mlp = Trainings.mlp(SCHEMA, Trainings.ADAM);
    ModelSpec graph = spec(TestNetworks.graph(TestNetworks.residual(SCHEMA, Trainings.ADAM)));
    assertStepsAsBefore(new TapeEngine(mlp, MachineKernels.best()), COUNTS);
    assertStepsAsBefore(new TapeEngine(graph, new JavaKernels()), COUNTS);
    assertStepsAsBefore(Trainings.dl4jEngine(mlp), COUNTS);
    assertStepsAsBefore(Trainings.dl4jEngine(graph), COUNTS);
  }

  /** Its file with a count below 0 is refused. */
  @Test
  void fit_ofSameDiffAtTheEnd_stepsAsBefore() throws Exception {
    ModelSpec sameDiff = spec(SameDiffGraphs.network(SameDiffGraphs.residual(SCHEMA)));
    assertStepsAsBefore(
        Trainings.dl4jEngine(sameDiff), new int[] {1_000_000_000, Integer.MAX_VALUE});
  }

  @Test
  void fit_atTheEndOfTheCount_givesAFileThatBothEnginesRead() throws Exception {
    ModelSpec mlp = Trainings.mlp(SCHEMA, Trainings.ADAM);
    try (TrainingEngine ours = new TapeEngine(mlp, MachineKernels.best());
        TrainingEngine theirs = Trainings.dl4jEngine(mlp)) {
      byte[] file = trained(ours, begun(ours), Progress.MOST_ITERATIONS - 2);
      assertThat(count(file)).isEqualTo(Progress.MOST_ITERATIONS);
      byte[] goneOn = trained(theirs, file, count(file));
      assertThat(Parity.distance(goneOn, trained(ours, file, count(file))))
          .isLessThan(Parity.TOLERANCE);
      try (TrainableNetwork network = ours.decode(goneOn)) {
        assertThat(count(network.encode())).isEqualTo(Progress.MOST_ITERATIONS);
      }
    }
  }
}
