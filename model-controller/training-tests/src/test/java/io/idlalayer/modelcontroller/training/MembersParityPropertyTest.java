package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

/**
 * Random networks of several members: trained by Deeplearning4j and by the product's engine as
 * {@link GraphParityPropertyTest} does it, and each member as if it were alone.
 */
@Tag("natives")
final class MembersParityPropertyTest {
  private static final int STEPS = 50;

  private record Plan(ModelSpec spec, int rows, long seed) {
    static Plan of(long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      List<SampleSchema.DenseFeature> dense = new ArrayList<>();
      for (int i = 0; i < random.nextInt(4); i++) {
        dense.add(new SampleSchema.DenseFeature("x" + i, 1, 1));
      }
      List<SampleSchema.CategoricalFeature> categorical = new ArrayList<>();
      for (int i = 0; i < random.nextInt(3) || dense.size() + i == 0; i++) {
        categorical.add(new SampleSchema.CategoricalFeature("c" + i, 2 + random.nextInt(4)));
      }
      boolean regression = random.nextInt(3) == 0;
      SampleSchema schema =
          new SampleSchema(
              List.of(),
              dense,
              categorical,
              (regression ? Trainings.target(1) : Trainings.classes(1, 3)).label(),
              null);
      if (random.nextInt(3) == 0) {
        schema = schema.with(new SampleSchema.History(null, 1 + random.nextInt(2), true, 1));
      }
      List<Integer> hidden =
          IntStream.range(0, random.nextInt(3)).mapToObj(i -> 4 + random.nextInt(12)).toList();
      ModelSpec.Updater[] updaters = ModelSpec.Updater.values();
      ModelSpec.Fit fit =
          new ModelSpec.Fit(
              32, 1, updaters[random.nextInt(updaters.length)], 0.002, random.nextInt(2) * 0.01);
      ModelSpec.Network network = new ModelSpec.Network.Mlp(hidden, 2 + random.nextInt(3));
      return new Plan(new ModelSpec(schema, network, fit, true), 4 + random.nextInt(20), seed);
    }

    float[] features(SplittableRandom random) {
      return Parity.features(random, rows * spec.inputWidth(), 1);
    }

    float[] labels(SplittableRandom random) {
      float[] labels = Parity.features(random, rows * spec.networkOutputs(), 1);
      for (int i = 0; i < labels.length && spec.outputWidth() > 1; i++) {
        labels[i] = labels[i] > 0 ? 1 : 0;
      }
      return labels;
    }
  }

  private static void train(TrainableNetwork network, Plan plan) throws Exception {
    SplittableRandom random = new SplittableRandom(plan.seed());
    try (TrainingSteps steps = network.steps(1)) {
      for (int step = 0; step < STEPS; step++) {
        steps.fit(plan.features(random), plan.labels(random), plan.rows(), null);
      }
    }
  }

  @Property(tries = 6, shrinking = ShrinkingMode.OFF, maxDiscardRatio = 20)
  void manySteps_giveTheParametersOfDeeplearning4j(@ForAll("seeds") long seed) throws Exception {
    Plan plan = Plan.of(seed);
    float[] features = plan.features(new SplittableRandom(7));
    Parity.assertTrainsAlike(plan.spec(), seed, it -> train(it, plan), features, plan.rows());
  }

  /** What the others are taught makes no difference to a member, bit for bit. */
  @Property(tries = 8, shrinking = ShrinkingMode.OFF)
  void otherLabelsOfTheOthers_changeNothingOfAMember(@ForAll("seeds") long seed) throws Exception {
    Plan plan = Plan.of(seed);
    ModelSpec spec = plan.spec();
    int width = spec.networkOutputs();
    int member = (int) (seed % spec.members());
    float[] features = plan.features(new SplittableRandom(7));
    List<float[]> outputs = new ArrayList<>();
    for (float others : new float[] {0, 1}) {
      try (TrainingEngine engine = new TapeEngine(spec, MachineKernels.best());
          TrainableNetwork network = engine.create(seed);
          TrainingSteps steps = network.steps(1)) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int step = 0; step < STEPS; step++) {
          float[] rows = plan.features(random);
          float[] labels = plan.labels(random);
          for (int i = 0; i < labels.length; i++) {
            labels[i] = i % width / spec.outputWidth() == member ? labels[i] : others;
          }
          steps.fit(rows, labels, plan.rows(), null);
        }
        outputs.add(network.output(features, plan.rows()));
      }
    }
    boolean someDiffer = false;
    for (int i = 0; i < outputs.get(0).length; i++) {
      boolean own = i % width / spec.outputWidth() == member;
      if (own) {
        assertThat(outputs.get(1)[i]).isEqualTo(outputs.get(0)[i]);
      } else {
        someDiffer |= outputs.get(1)[i] != outputs.get(0)[i];
      }
    }
    assertThat(someDiffer).as("the others learned something else").isTrue();
  }

  @Provide
  Arbitrary<Long> seeds() {
    return Parity.seeds();
  }
}
