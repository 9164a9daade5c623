package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelloader.network.LayerNormalization;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.PReLULayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.nd4j.linalg.activations.Activation;

/**
 * Random graphs of layers with several users and several inputs, trained for ten steps by
 * Deeplearning4j and by the product's engine: as {@link EngineParityPropertyTest}.
 */
@Tag("natives")
final class GraphParityPropertyTest {
  private static final int CLASSES = 3;
  private static final int STEPS = 10;
  private static final int INPUTS = 6;
  private static final int CHANNELS = 2;
  private static final int SIDE = 6;

  /** Grows a graph from its input to its output. */
  private static final class Growth {
    private final SplittableRandom random;
    private final LearningPlan learning;
    private final boolean images;
    private final GraphBuilder graph;

    /** Vertices without a successor so far; all have one shape. */
    private final List<String> open = new ArrayList<>(List.of("in"));

    private int width;
    private int count;

    Growth(long seed) {
      random = new SplittableRandom(seed);
      learning = LearningPlan.of(seed);
      images = random.nextBoolean();
      width = images ? CHANNELS : INPUTS;
      graph =
          learning
              .configuration()
              .activation(Activation.TANH)
              .graphBuilder()
              .addInputs("in")
              .setInputTypes(
                  images
                      ? InputType.convolutionalFlat(SIDE, SIDE, CHANNELS)
                      : InputType.feedForward(INPUTS));
    }

    private String name() {
      return "v" + count++;
    }

    private String layer(Layer layer, String from) {
      String name = name();
      graph.addLayer(name, layer, from);
      return name;
    }

    private String weighted(int outputs, String from) {
      Activation activation = random.nextBoolean() ? Activation.TANH : Activation.IDENTITY;
      if (!images) {
        return layer(new DenseLayer.Builder().nOut(outputs).activation(activation).build(), from);
      }
      int size = 1 + 2 * random.nextInt(2);
      return layer(
          new ConvolutionLayer.Builder(size, size)
              .convolutionMode(ConvolutionMode.Same)
              .nOut(outputs)
              .activation(activation)
              .build(),
          from);
    }

    /** A layer that keeps the shape. */
    private String unweighted(int outputs, String from) {
      // Deeplearning4j trains slopes of few numbers only: RectifierParityPropertyTest has images.
      return switch (random.nextInt(images ? 3 : 4)) {
        case 3 -> layer(new PReLULayer.Builder().inputShape(outputs).build(), from);
        case 0 -> layer(new ActivationLayer.Builder().activation(Activation.SIGMOID).build(), from);
        case 1 ->
            layer(
                new BatchNormalization.Builder()
                    .gradientNormalization(GradientNormalization.None)
                    .eps(1e-2)
                    .build(),
                from);
        default -> layer(images ? pooled() : new LayerNormalization.Builder().build(), from);
      };
    }

    private static SubsamplingLayer pooled() {
      return new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.AVG)
          .kernelSize(3, 3)
          .stride(1, 1)
          .convolutionMode(ConvolutionMode.Same)
          .build();
    }

    /** All open vertices get one or more users, which are then combined or left open. */
    private void block() {
      int outputs = 1 + random.nextInt(5);
      List<String> next = new ArrayList<>();
      for (String from : open) {
        for (int i = 0; i <= random.nextInt(3); i++) {
          String made = weighted(outputs, from);
          next.add(random.nextInt(3) == 0 ? unweighted(outputs, made) : made);
        }
      }
      open.clear();
      open.addAll(next);
      width = outputs;
      if (open.size() > 1) {
        combine();
      }
    }

    private void combine() {
      String[] all = open.toArray(String[]::new);
      String name = name();
      switch (random.nextInt(6)) {
        case 0 -> {
          graph.addVertex(name, new MergeVertex(), all);
          width *= all.length;
        }
        case 1 -> graph.addVertex(name, operation(ElementWiseVertex.Op.Average), all);
        case 2 -> graph.addVertex(name, operation(ElementWiseVertex.Op.Product), all);
        case 3 -> {
          // The others stay open.
          graph.addVertex(name, operation(ElementWiseVertex.Op.Subtract), all[0], all[1]);
          open.remove(all[0]);
          open.remove(all[1]);
          open.add(name);
          return;
        }
        case 4 -> graph.addVertex(name, operation(ElementWiseVertex.Op.Max), all);
        default -> {
          // One of them twice: under another name, which stands for the same numbers.
          String again = name();
          int[] shape = images ? new int[] {-1, width, SIDE, SIDE} : new int[] {-1, width};
          graph.addVertex(again, new ReshapeVertex(shape), all[0]);
          String[] more = Arrays.copyOf(all, all.length + 1);
          more[all.length] = all[all.length - 1];
          more[all.length - 1] = again;
          graph.addVertex(name, operation(ElementWiseVertex.Op.Add), more);
        }
      }
      open.clear();
      // With a shortcut, as in a residual network: one vertex has a direct and an indirect user.
      if (random.nextBoolean()) {
        String inner = unweighted(width, weighted(width, name));
        String sum = name();
        graph.addVertex(sum, operation(ElementWiseVertex.Op.Add), inner, name);
        open.add(layer(new ActivationLayer.Builder().activation(Activation.TANH).build(), sum));
      } else {
        open.add(name);
      }
    }

    private static ElementWiseVertex operation(ElementWiseVertex.Op op) {
      return new ElementWiseVertex(op);
    }

    String json() {
      for (int i = 0; i <= random.nextInt(3); i++) {
        block();
      }
      String last = open.get(0);
      if (open.size() > 1) {
        last = name();
        graph.addVertex(last, operation(ElementWiseVertex.Op.Add), open.toArray(String[]::new));
      }
      if (images && random.nextBoolean()) {
        last = layer(new GlobalPoolingLayer.Builder(PoolingType.AVG).build(), last);
      }
      graph.addLayer("out", learning.outputLayer(CLASSES).build(), last);
      return graph.setOutputs("out").build().toJson();
    }

    int features() {
      return images ? CHANNELS * SIDE * SIDE : INPUTS;
    }
  }

  private record Plan(ModelSpec spec, int width, int rows, long seed) {
    static Plan of(long seed) {
      Growth growth = new Growth(seed);
      int width = growth.features();
      ModelSpec spec =
          new ModelSpec(
              Trainings.classes(width, CLASSES),
              new ModelSpec.Network.Dl4jJson(growth.json()),
              Trainings.ADAM,
              false);
      return new Plan(spec, width, 4 + (int) (seed % 9), seed);
    }

    float[] features(SplittableRandom random) {
      return Parity.features(random, rows * width, 1);
    }

    float[] labels(SplittableRandom random) {
      return Parity.labels(random, rows, CLASSES);
    }
  }

  private static void train(TrainableNetwork network, Plan plan) throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed());
    float[] weights = LearningPlan.of(plan.seed()).weights(plan.rows());
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = 0; step < STEPS; step++) {
        steps.fit(plan.features(random), plan.labels(random), plan.rows(), weights);
      }
    }
  }

  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void tenSteps_giveTheParametersOfDeeplearning4j(@ForAll("seeds") long seed) throws Exception {
    Plan plan = Plan.of(seed);
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(plan.spec(), seed, it -> train(it, plan), features, plan.rows());
  }

  @Property(tries = 8, shrinking = ShrinkingMode.OFF)
  void eachEngine_goesOnWithTheFileOfTheOther(@ForAll("seeds") long seed) throws Exception {
    Plan plan = Plan.of(seed);
    try (TrainingEngine theirs = Trainings.dl4jEngine(plan.spec());
        TrainingEngine ours = new TapeEngine(plan.spec(), MachineKernels.best());
        TrainableNetwork first = theirs.create(seed);
        TrainableNetwork second = ours.create(seed)) {
      train(first, plan);
      train(second, plan);
      Assume.that(first.finite() && second.finite());
      try (TrainableNetwork taken = ours.decode(first.encode());
          TrainableNetwork given = theirs.decode(second.encode())) {
        assertThat(Parity.distance(taken.encode(), first.encode())).isZero();
        assertThat(Parity.distance(given.encode(), second.encode())).isZero();
        train(first, plan);
        ReferenceTraining reference =
            new ReferenceTraining(
                theirs,
                seed,
                it -> {
                  train(it, plan);
                  train(it, plan);
                },
                first.encode());
        reference.assumeConditioned();
        train(taken, plan);
        train(given, plan);
        reference.assertSame("theirs, then ours", taken.encode());
        reference.assertSame("ours, then theirs", given.encode());
      }
    }
  }

  @Provide
  Arbitrary<Long> seeds() {
    return Parity.seeds();
  }
}
