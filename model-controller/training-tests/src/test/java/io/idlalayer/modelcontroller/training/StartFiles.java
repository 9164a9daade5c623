package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;

/** Applications, samples and a file for tests of starting networks. */
final class StartFiles {
  static final int WIDTH = 3;
  static final ModelSpec.Fit FIT = new ModelSpec.Fit(16, 2, ModelSpec.Updater.ADAM, 0.01, 0);

  static ModelSpec spec(ModelSpec.Network network, boolean standardize, String... classes) {
    SampleSchema.Label label =
        classes.length == 0
            ? new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of())
            : new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of(classes));
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", WIDTH, 1)),
            List.of(),
            label,
            null);
    return new ModelSpec(schema, network, FIT, standardize);
  }

  static ModelSpec mlp(List<Integer> hidden, String... classes) {
    return spec(new ModelSpec.Network.Mlp(hidden), true, classes);
  }

  /** Numbers far from 0 and of different scales, as events have them. */
  static List<Sample> samples(int count, boolean target, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double[] x = {
        20 + 5 * random.nextDouble(-1, 1), random.nextDouble(-0.1, 0.1), random.nextDouble(0, 40)
      };
      double label = target ? 100 + 3 * x[0] - x[2] : x[2] > 20 ? 1 : 0;
      samples.add(new Sample("s" + i, x, new int[0], label));
    }
    return samples;
  }

  static double[] random(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return DoubleStream.generate(() -> random.nextDouble(-0.3, 0.3)).limit(count).toArray();
  }

  /** Linear layers of PyTorch: Gemm with transposed weights, and logits without a softmax. */
  static byte[] pytorch(int outputs) {
    return new OnnxBuilder()
        .input("input.1", OnnxBuilder.FLOAT, -1, WIDTH)
        .output("output", OnnxBuilder.FLOAT, -1, outputs)
        .floats("0.weight", new long[] {8, WIDTH}, random(8 * WIDTH, 1))
        .floats("0.bias", new long[] {8}, random(8, 2))
        .floats("2.weight", new long[] {outputs, 8}, random(8 * outputs, 3))
        .floats("2.bias", new long[] {outputs}, random(outputs, 4))
        .node(
            "Gemm",
            List.of("input.1", "0.weight", "0.bias"),
            "h",
            OnnxBuilder.number("alpha", 1),
            OnnxBuilder.number("beta", 1),
            OnnxBuilder.integer("transB", 1))
        .node("Relu", List.of("h"), "r")
        .node("Dropout", List.of("r"), "d")
        .node(
            "Gemm", List.of("d", "2.weight", "2.bias"), "output", OnnxBuilder.integer("transB", 1))
        .build("pytorch");
  }

  private StartFiles() {}
}
