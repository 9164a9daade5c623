package io.idlalayer.benchmarks;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.tensors.NetScale;
import io.idlalayer.benchmarks.tensors.ReferenceNet;
import io.idlalayer.modelcontroller.engine.CompiledStep;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.DotProducts;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Processor time of each kernel of oneDNN at the shapes of the reference networks. A process has
 * one release of oneDNN, so a script runs two of them in turn: each line on the standard input asks
 * for one round. Usage: {@code KernelExperiment [network ...]}. It needs {@code OMP_NUM_THREADS=1},
 * because the time of other threads is not counted.
 */
public final class KernelExperiment {
  private static final int BATCH = 32;

  /** Least time of a measurement. */
  private static final long LEAST_NANOS = 1_000_000;

  private static final int MOST_RUNS = 20_000;

  private static final int VALUE_COUNT = 1 << 16;

  /** What tensors are filled with, from -0.5 to 0.5. */
  private static final float[] VALUES = values();

  private KernelExperiment() {}

  /** A kernel, the tensors that it uses, and how often it runs in a measurement. */
  private static final class Measured {
    final String name;
    final TapeKernel kernel;
    final List<Tensor> written;
    int runs = 1;

    Measured(String name, TapeKernel kernel, List<Tensor> written) {
      this.name = name;
      this.kernel = kernel;
      this.written = written;
    }

    /** Sets the number of runs. */
    void calibrate() {
      kernel.run();
      while (runs < MOST_RUNS && nanosOfRuns() < LEAST_NANOS) {
        runs *= 2;
      }
    }

    /** Nanoseconds of one run. */
    double nanos() {
      // Kernels that change a tensor in place would end at infinity or denormal numbers.
      written.forEach(KernelExperiment::fill);
      return (double) nanosOfRuns() / runs;
    }

    private long nanosOfRuns() {
      long start = CpuTime.nanos();
      for (int i = 0; i < runs; i++) {
        kernel.run();
      }
      return CpuTime.nanos() - start;
    }
  }

  public static void main(String[] args) throws Exception {
    long start = System.nanoTime();
    long startCpu = CpuTime.nanos();
    OneDnnKernels library = new OneDnnKernels();
    System.out.printf(
        Locale.ROOT,
        "library %s %.1f %.1f%n",
        library.name().replace(' ', '-'),
        (System.nanoTime() - start) / 1e6,
        (CpuTime.nanos() - startCpu) / 1e6);
    List<Measured> kernels = new ArrayList<>();
    for (String each : args) {
      kernels.addAll(each.equals("single") ? single(library) : ofNetwork(library, each));
    }
    kernels.forEach(Measured::calibrate);
    System.out.println("ready");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while (in.readLine() != null) {
      for (Measured each : kernels) {
        System.out.printf(
            Locale.ROOT,
            "%s %s %.0f%n",
            each.name,
            each.kernel.implementation().isEmpty() ? "-" : each.kernel.implementation(),
            each.nanos());
      }
      System.out.println("end");
    }
  }

  private static List<Measured> ofNetwork(KernelLibrary library, String key) throws Exception {
    long start = System.nanoTime();
    long startCpu = CpuTime.nanos();
    CompiledStep step = new CompiledStep(spec(key), library, BATCH);
    System.out.printf(
        Locale.ROOT,
        "made %s %.1f %.1f%n",
        key,
        (System.nanoTime() - start) / 1e6,
        (CpuTime.nanos() - startCpu) / 1e6);
    List<Measured> kernels = new ArrayList<>();
    int number = 0;
    for (TapeStep each : step.tape().steps()) {
      number++;
      if (BareKernels.isNative(each)) {
        List<Tensor> written =
            each.writes().stream()
                .filter(tensor -> tensor.kind() != Tensor.Kind.WORKSPACE || !isPooling(each))
                .toList();
        kernels.add(
            new Measured(
                "%s/%d/%s/%s".formatted(key, number, each.layer(), each.name().replace(' ', '-')),
                each.kernel(),
                written));
      }
    }
    return kernels;
  }

  /** The workspace of a pooling has positions, which may not be overwritten. */
  private static boolean isPooling(TapeStep step) {
    return step.name().equals("pooling");
  }

  private static ModelSpec spec(String key) {
    return switch (key) {
      case "mlp-small" -> spec(6, 2, new ModelSpec.Network.Mlp(List.of(64, 32)));
      case "mlp-784" -> spec(784, 10, new ModelSpec.Network.Mlp(List.of(512, 512)));
      case "cnn" -> spec(784, 10, new ModelSpec.Network.Cnn(28, 28, 1, List.of(8, 16), 64));
      default -> ReferenceNet.of(key).spec(new NetScale(1));
    };
  }

  private static ModelSpec spec(int width, int classes, ModelSpec.Network network) {
    return new ModelSpec(
        EngineExperiment.schema(width, classes),
        network,
        new ModelSpec.Fit(BATCH, 1, ModelSpec.Updater.ADAM, 0.001, 0),
        false);
  }

  // ---- kernels that no reference network has ----------------------------------------------------

  private static List<Measured> single(KernelLibrary library) {
    List<Measured> kernels = new ArrayList<>();
    for (Activation.Kind kind :
        List.of(
            Activation.Kind.RELU,
            Activation.Kind.TANH,
            Activation.Kind.SIGMOID,
            Activation.Kind.ELU,
            Activation.Kind.GELU,
            Activation.Kind.GELU_TANH,
            Activation.Kind.SWISH)) {
      for (int length : List.of(BATCH * 64, BATCH * 16 * 28 * 28)) {
        Activation function = new Activation(kind, kind == Activation.Kind.ELU ? 1 : 0);
        Tensor inputs = placed(length);
        Tensor outputs = placed(length);
        Tensor errors = placed(length);
        kernels.add(
            new Measured(
                "single/0/%s-%d/activation".formatted(kind, length),
                library.activation(function, inputs, outputs),
                List.of(outputs)));
        kernels.add(
            new Measured(
                "single/0/%s-%d/slope".formatted(kind, length),
                library.activationBackward(function, inputs, errors),
                List.of(errors)));
      }
    }
    for (DotProducts shape :
        List.of(new DotProducts(List.of(1, 26), 16), new DotProducts(List.of(1, 8), 64))) {
      List<Tensor> inputs =
          shape.counts().stream().map(count -> placed(BATCH * count * shape.dim())).toList();
      Tensor products = placed(BATCH * shape.pairs());
      List<Tensor> inputErrors = inputs.stream().map(each -> placed(each.length())).toList();
      var forward = library.dotProducts("dots", shape, BATCH, inputs, products);
      forward.workspaces().forEach(KernelExperiment::place);
      var backward =
          library.dotProductErrors(
              "dots", shape, BATCH, inputs, products, new ArrayList<>(inputErrors));
      backward.workspaces().forEach(KernelExperiment::place);
      String name = "single/0/%d-vectors-of-%d/".formatted(shape.vectors(), shape.dim());
      kernels.add(new Measured(name + "dots", forward.kernel(), List.of(products)));
      kernels.add(new Measured(name + "dot-errors", backward.kernel(), inputErrors));
    }
    return kernels;
  }

  private static Tensor placed(int length) {
    Tensor tensor = new Tensor("t", Tensor.Kind.ACTIVATIONS, length);
    place(tensor);
    fill(tensor);
    return tensor;
  }

  /** The memory lives as long as the process. */
  private static void place(Tensor tensor) {
    tensor.place(new FloatMemory(tensor.length()).part(0, tensor.length()));
  }

  private static void fill(Tensor tensor) {
    for (int at = 0; at < tensor.length(); at += VALUES.length) {
      tensor.floats().put(at, VALUES, 0, Math.min(VALUES.length, tensor.length() - at));
    }
  }

  private static float[] values() {
    SplittableRandom random = new SplittableRandom(1);
    float[] values = new float[VALUE_COUNT];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) (random.nextDouble() - 0.5);
    }
    return values;
  }
}
