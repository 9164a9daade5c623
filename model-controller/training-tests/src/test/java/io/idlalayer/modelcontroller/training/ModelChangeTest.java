package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.change.SampleChange;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A model whose features change learns on. */
final class ModelChangeTest {
  private static final ModelSpec.Network NETWORK = new ModelSpec.Network.Mlp(List.of(16));

  private static ModelSpec spec(ModelSpec.Network network, String... features) {
    List<DenseFeature> dense = new ArrayList<>();
    for (String feature : features) {
      dense.add(DenseFeature.of(feature));
    }
    SampleSchema schema =
        new SampleSchema(List.of(), dense, List.of(), Trainings.classes(1, 2).label(), null);
    return new ModelSpec(schema, network, Trainings.ADAM, true);
  }

  /** Samples whose class one feature tells in half of them, and the others in the other half. */
  private static List<Sample> samples(int width, int telling, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      double[] dense = new double[width];
      for (int k = 0; k < width; k++) {
        dense[k] = random.nextDouble();
      }
      samples.add(Sample.of(dense, dense[telling] > 0.5 ? 1 : 0));
    }
    return samples;
  }

  private static ModelArtifact trained(
      ModelSpec spec, ModelArtifact base, List<Sample> samples, int times) throws Exception {
    ModelArtifact model = base;
    try (Trainer trainer =
        new NetworkTrainer(spec, true, new TapeEngine(spec, MachineKernels.best()))) {
      for (int i = 0; i < times; i++) {
        model =
            trainer.train(new TrainingRequest(model, Trainings.batch(1 + i, samples), 7)).model();
      }
    }
    return model;
  }

  @Test
  void newFeature_thatTellsTheClass_isLearned() throws Exception {
    ModelSpec before = spec(NETWORK, "a", "b");
    ModelSpec now = spec(NETWORK, "a", "c", "b");
    ModelArtifact base = trained(before, null, samples(2, 0, 1), 4);
    try (Dl4jModel model = Dl4jModel.load(base)) {
      assertThat(Trainings.accuracy(model, samples(2, 0, 2))).isGreaterThan(0.9);
    }
    SampleChange change = new SampleChange(before.schema(), now.schema());
    try (Dl4jModel model = Dl4jModel.load(new ModelChange(now).fitting(base))) {
      List<Sample> stored = samples(2, 0, 2).stream().map(change::of).toList();
      assertThat(stored.get(0).dense()[1]).isNaN();
      assertThat(Trainings.accuracy(model, stored)).isGreaterThan(0.9);
    }
    ModelArtifact after = trained(now, base, samples(3, 1, 3), 8);
    try (Dl4jModel model = Dl4jModel.load(after)) {
      assertThat(Trainings.accuracy(model, samples(3, 1, 4))).isGreaterThan(0.9);
    }
  }

  @Test
  void removedFeature_thatToldTheClass_leavesWhatTheOthersTell() throws Exception {
    ModelSpec before = spec(NETWORK, "a", "b", "c");
    ModelSpec now = spec(NETWORK, "c", "a");
    ModelArtifact base = trained(before, null, samples(3, 1, 1), 4);
    ModelArtifact after = trained(now, base, samples(2, 0, 3), 8);
    try (Dl4jModel model = Dl4jModel.load(after)) {
      assertThat(Trainings.accuracy(model, samples(2, 0, 4))).isGreaterThan(0.9);
    }
  }

  @Test
  void fitting_otherBins_saysWhy() throws Exception {
    ModelSpec before = spec(new ModelSpec.Network.Mlp(List.of(4), 2), names(64));
    ModelSpec now = spec(new ModelSpec.Network.Mlp(List.of(4), 2), names(65));
    ModelArtifact base = trained(before, null, samples(64, 0, 1), 1);
    assertThatThrownBy(() -> new ModelChange(now).fitting(base))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining("model.members: ")
        .hasMessageContaining("64 numbers into 8 bins, and each of 65 numbers into 7");
  }

  private static String[] names(int count) {
    String[] names = new String[count];
    for (int i = 0; i < count; i++) {
      names[i] = "f" + i;
    }
    return names;
  }
}
