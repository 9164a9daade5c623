package io.idlalayer.modelcontroller.engine.compile;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.compile.write.TapeWriter;
import io.idlalayer.modelcontroller.engine.configuration.InitialNetwork;
import io.idlalayer.modelcontroller.engine.configuration.InitialParameters;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import io.idlalayer.modelcontroller.training.MachineKernels;
import io.idlalayer.modelcontroller.training.TestNetworks;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which kernels can be run again: plans that drop tensors rely on it. */
@Tag("natives")
final class TapeRepetitionTest {
  private static final int ROWS = 6;

  static List<ModelSpec> networks() {
    return TestNetworks.ofEveryLayer();
  }

  /** A step whose tensors have memories of their own. */
  private static final class Trained implements AutoCloseable {
    final Progress progress = new Progress(0, 0);
    final Tape tape;
    final Map<Tensor, FloatMemory> memories = new LinkedHashMap<>();

    Trained(ModelSpec spec, KernelLibrary kernels) throws Exception {
      NetworkConfiguration network =
          NetworkConfiguration.read(InitialNetwork.configuration(spec, 1));
      NetworkPlan plan = NetworkCompiler.compile(network, spec.inputWidth(), 0);
      NetworkTensors tensors = new NetworkTensors(plan);
      tape = TapeWriter.training(plan, tensors, kernels, progress, ROWS).tape();
      SplittableRandom random = new SplittableRandom(1);
      for (Tensor tensor : tape.lives().keySet()) {
        memories.put(tensor, new FloatMemory(tensor.length()));
        put(tensor, random(tensor, random));
        tensor.place(memories.get(tensor).part(0, tensor.length()));
      }
      float[] parameters = InitialParameters.of(network, plan).draw(1);
      for (NetworkPlan.Parameters each : plan.parameters()) {
        put(
            tensors.parameters(each.name()),
            Arrays.copyOfRange(parameters, each.from(), each.from() + each.length()));
        tensors.states(each.name()).forEach(it -> put(it, new float[it.length()]));
      }
    }

    static float[] random(Tensor tensor, SplittableRandom random) {
      float[] values = new float[tensor.length()];
      for (int i = 0; i < values.length; i++) {
        values[i] = (float) random.nextDouble();
      }
      return values;
    }

    void put(Tensor tensor, float[] values) {
      memories.get(tensor).part(0, tensor.length()).put(0, values, 0, values.length);
    }

    Map<Tensor, float[]> contents() {
      Map<Tensor, float[]> contents = new LinkedHashMap<>();
      memories.forEach(
          (tensor, memory) -> contents.put(tensor, memory.part(0, tensor.length()).toArray()));
      return contents;
    }

    @Override
    public void close() {
      tape.close();
      memories.values().forEach(FloatMemory::close);
    }
  }

  @ParameterizedTest
  @MethodSource("networks")
  void repeatableKernel_runAgain_writesTheSameBits(ModelSpec spec) throws Exception {
    for (KernelLibrary kernels : MachineKernels.all()) {
      int repeatable = 0;
      try (Trained step = new Trained(spec, kernels)) {
        for (int i = 0; i < step.tape.steps().size(); i++) {
          TapeStep own = step.tape.steps().get(i);
          if (own.kernel() instanceof RepeatableKernel) {
            repeatable++;
            assertThat(differing(step, own, step.tape.lifetimes().get(i)))
                .as("%s with %s", own, kernels.name())
                .isEmpty();
          } else {
            own.kernel().run();
          }
        }
      }
      assertThat(repeatable).isPositive();
    }
  }

  /**
   * Runs a kernel, then on other numbers and later in the training, then as the first time; returns
   * the tensors that are not as after the first time.
   */
  private static List<Tensor> differing(Trained step, TapeStep own, Tape.Lifetimes lifetimes) {
    Map<Tensor, float[]> before = step.contents();
    own.kernel().run();
    Map<Tensor, float[]> after = step.contents();
    SplittableRandom random = new SplittableRandom(2);
    before.keySet().forEach(tensor -> step.put(tensor, Trained.random(tensor, random)));
    step.progress.next();
    own.kernel().run();
    before.forEach(step::put);
    own.kernel().run();
    List<Tensor> differing = new ArrayList<>();
    step.contents()
        .forEach(
            (tensor, values) -> {
              // No other step sees a scratchpad, which holds addresses, for instance.
              boolean seen =
                  !lifetimes.creates().contains(tensor) || !lifetimes.ends().contains(tensor);
              if (seen && !sameBits(values, after.get(tensor))) {
                differing.add(tensor);
              }
            });
    after.forEach(step::put);
    return differing;
  }

  private static boolean sameBits(float[] one, float[] other) {
    for (int i = 0; i < one.length; i++) {
      if (Float.floatToRawIntBits(one[i]) != Float.floatToRawIntBits(other[i])) {
        return false;
      }
    }
    return true;
  }

  @ParameterizedTest
  @MethodSource("networks")
  void kernelsOfUpdates_areNotRepeatable(ModelSpec spec) throws Exception {
    try (Trained step = new Trained(spec, MachineKernels.best())) {
      assertThat(step.tape.steps())
          .filteredOn(own -> own.phase() == Phase.UPDATE)
          .isNotEmpty()
          .noneMatch(own -> own.kernel() instanceof RepeatableKernel);
    }
  }

  /** All others of a forward pass are. */
  @Test
  void kernelsOfForwardPasses_withEffects_areNotRepeatable() throws Exception {
    Set<String> others = new TreeSet<>();
    boolean differed = false;
    for (ModelSpec spec : networks()) {
      try (Trained step = new Trained(spec, new JavaKernels())) {
        for (int i = 0; i < step.tape.steps().size(); i++) {
          TapeStep own = step.tape.steps().get(i);
          boolean marked = own.kernel() instanceof RepeatableKernel;
          if (own.phase() == Phase.FORWARD && !marked) {
            others.add(own.name());
          }
          if (own.name().equals("dropout") && own.phase() == Phase.FORWARD) {
            differed |= !differing(step, own, step.tape.lifetimes().get(i)).isEmpty();
          } else if (own.name().equals("normalization") && own.phase() == Phase.BACKWARD) {
            assertThat(marked).as("it follows the running means").isFalse();
          }
        }
      }
    }
    assertThat(others).containsExactly("dropout", "loss");
    assertThat(differed).as("dropout draws other numbers later in the training").isTrue();
  }
}
