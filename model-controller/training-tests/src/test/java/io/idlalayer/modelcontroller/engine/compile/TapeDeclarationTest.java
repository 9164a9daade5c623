package io.idlalayer.modelcontroller.engine.compile;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.compile.write.TapeWriter;
import io.idlalayer.modelcontroller.engine.configuration.InitialNetwork;
import io.idlalayer.modelcontroller.engine.configuration.InitialParameters;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import io.idlalayer.modelcontroller.training.MachineKernels;
import io.idlalayer.modelcontroller.training.TestNetworks;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Placement relies on what steps say: that they read and write nothing else. */
@Tag("natives")
final class TapeDeclarationTest {
  private static final List<KernelLibrary> LIBRARIES = MachineKernels.all();
  private static final int ROWS = 6;

  static List<ModelSpec> networks() {
    return TestNetworks.ofEveryLayer();
  }

  /** Each tensor in a memory of its own. */
  private static final class Placed implements AutoCloseable {
    final Map<Tensor, FloatMemory> memories = new LinkedHashMap<>();

    Placed(Tape tape, Map<Tensor, float[]> known, SplittableRandom random) {
      for (Tensor tensor : tape.lives().keySet()) {
        FloatMemory memory = new FloatMemory(tensor.length());
        memories.put(tensor, memory);
        float[] values = known.get(tensor);
        put(tensor, values == null ? random(tensor, random) : values);
      }
    }

    private static float[] random(Tensor tensor, SplittableRandom random) {
      float[] values = new float[tensor.length()];
      for (int i = 0; i < values.length; i++) {
        values[i] = (float) random.nextDouble();
      }
      return values;
    }

    Floats floats(Tensor tensor) {
      return memories.get(tensor).part(0, tensor.length());
    }

    void put(Tensor tensor, float[] values) {
      floats(tensor).put(0, values, 0, values.length);
    }

    Map<Tensor, float[]> contents() {
      Map<Tensor, float[]> contents = new LinkedHashMap<>();
      memories.keySet().forEach(tensor -> contents.put(tensor, floats(tensor).toArray()));
      return contents;
    }

    @Override
    public void close() {
      memories.values().forEach(FloatMemory::close);
    }
  }

  @ParameterizedTest
  @MethodSource("networks")
  void steps_useOnlyWhatTheySay(ModelSpec spec) throws Exception {
    check(spec, spec.inputWidth());
  }

  @ParameterizedTest
  @MethodSource("networks")
  void stepsThatGiveErrorsOfTheInput_useOnlyWhatTheySay(ModelSpec spec) throws Exception {
    check(spec, 0);
    check(spec, spec.inputWidth() / 2);
  }

  private static void check(ModelSpec spec, int errorsFrom) throws Exception {
    for (KernelLibrary library : LIBRARIES) {
      check(spec, errorsFrom, library);
    }
  }

  private static void check(ModelSpec spec, int errorsFrom, KernelLibrary library)
      throws Exception {
    Map<Tensor, float[]> known = new LinkedHashMap<>();
    NetworkConfiguration network = NetworkConfiguration.read(InitialNetwork.configuration(spec, 1));
    NetworkPlan plan = NetworkCompiler.compile(network, spec.inputWidth(), errorsFrom);
    NetworkTensors tensors = new NetworkTensors(plan);
    float[] parameters = InitialParameters.of(network, plan).draw(1);
    for (NetworkPlan.Parameters each : plan.parameters()) {
      known.put(
          tensors.parameters(each.name()),
          Arrays.copyOfRange(parameters, each.from(), each.from() + each.length()));
      tensors.states(each.name()).forEach(it -> known.put(it, new float[it.length()]));
    }
    Progress progress = new Progress(0, 0);
    TapeWriter.Training training = TapeWriter.training(plan, tensors, library, progress, ROWS);
    try (Tape tape = training.tape();
        Placed placed = new Placed(tape, known, new SplittableRandom(1))) {
      for (int i = 0; i < tape.steps().size(); i++) {
        check(tape.steps().get(i), tape.lifetimes().get(i), placed);
      }
    }
  }

  /**
   * Runs a step twice from the same contents: the second time, everything is full of NaN that it
   * does not say to read or is the first to write.
   */
  private static void check(TapeStep step, Tape.Lifetimes lifetimes, Placed placed) {
    Map<Tensor, float[]> before = placed.contents();
    before.keySet().forEach(tensor -> tensor.place(placed.floats(tensor)));
    step.kernel().run();
    Map<Tensor, float[]> after = placed.contents();
    after.forEach(
        (tensor, values) -> {
          if (!step.writes().contains(tensor)) {
            assertThat(values).as("%s changes %s", step, tensor).isEqualTo(before.get(tensor));
          }
        });
    before.forEach(placed::put);
    for (Tensor tensor : before.keySet()) {
      boolean used = step.reads().contains(tensor) || step.writes().contains(tensor);
      if (!used || lifetimes.creates().contains(tensor)) {
        float[] poison = new float[tensor.length()];
        Arrays.fill(poison, Float.NaN);
        placed.put(tensor, poison);
      }
    }
    step.kernel().run();
    for (Tensor tensor : step.writes()) {
      if (lifetimes.creates().contains(tensor) && lifetimes.ends().contains(tensor)) {
        // No other step sees it; a scratchpad of oneDNN holds addresses, for instance.
        continue;
      }
      float[] again = placed.floats(tensor).toArray();
      for (int i = 0; i < again.length; i++) {
        // What a step leaves as it was, another one writes.
        boolean untouched = after.get(tensor)[i] == before.get(tensor)[i];
        if (!(untouched && Float.isNaN(again[i]))) {
          assertThat(again[i])
              .as("%s computes %s from something else", step, tensor)
              .isEqualTo(after.get(tensor)[i]);
        }
      }
    }
    after.forEach(placed::put);
  }
}
