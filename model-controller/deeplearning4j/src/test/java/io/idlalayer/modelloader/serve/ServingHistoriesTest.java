package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.modelruntime.serve.ServingHistories;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A service that remembers the labels of keys predicts with them. */
final class ServingHistoriesTest {
  private static final long WITH_LABELS = 2;

  private final RandomModel random =
      new RandomModel(RandomModel.Kind.HISTORY, false, true, WITH_LABELS);
  private final ModelSpec spec = random.spec();
  private final ServingHistories histories = new ServingHistories(spec);

  private Sample bare() {
    return random.samples(1, false).get(0).withContext(KeyContext.NONE).withLabel(Sample.NO_LABEL);
  }

  @Test
  void arrived_afterALabelOfTheKey_hasItAsContext() {
    assertThat(spec.schema().history().labels()).isPositive();
    int classes = spec.schema().labelWidth();
    Sample first = histories.arrived("a", bare());
    assertThat(ofLastLabel(first, classes)).containsOnly(0);
    assertThat(ofLastLabel(histories.arrived("a", bare()), classes)).containsOnly(0);
    histories.label(first, 1);
    Sample later = histories.arrived("a", bare());
    assertThat(ofLastLabel(later, classes)[1]).isEqualTo(1);
    assertThat(ofLastLabel(histories.arrived("b", bare()), classes)).containsOnly(0);
    histories.label(later, 0);
    assertThat(ofLastLabel(histories.arrived("a", bare()), classes)[0]).isEqualTo(1);
    histories.labelTaken(later);
    histories.labelTaken(first);
    assertThat(ofLastLabel(histories.arrived("a", bare()), classes)).containsOnly(0);
  }

  @Test
  void changed_versionHasAnotherClass_keepsWhichLabelsWere() {
    Sample first = histories.arrived("a", bare());
    histories.label(first, 1);
    List<String> classes = new ArrayList<>(spec.schema().label().classes());
    classes.add(0, "new");
    ModelSpec now =
        spec.with(
            spec.schema()
                .with(
                    new SampleSchema.Label(
                        "y", SampleSchema.Task.CLASSIFICATION, List.copyOf(classes))));
    histories.changed(spec);
    histories.changed(now);
    histories.changed(now);
    Sample later = histories.arrived("a", bare());
    assertThat(later.context().values()).hasSize(now.schema().contextWidth());
    assertThat(ofLastLabel(later, classes.size())[2]).as("the class that was number 1").isOne();
    ModelSpec other = now.with(now.schema().with((SampleSchema.History) null));
    assertThatThrownBy(() -> histories.changed(other)).hasMessageContaining("another history");
  }

  private static double[] ofLastLabel(Sample sample, int classes) {
    return java.util.Arrays.copyOf(sample.context().values(), classes);
  }

  @Tag("natives")
  @Test
  void predict_withAndWithoutContext_isByAllMembersOrByTheOthers() throws Exception {
    ModelArtifact artifact = new ModelArtifact(random.files());
    PlainModel plain = new PlainModelLoader().load(artifact);
    Sample event = bare();
    histories.label(histories.arrived("a", bare()), 1);
    Sample inContext = histories.arrived("a", event);
    double[] with = plain.predict(inContext);
    double[] without = plain.predict(event);
    assertThat(with).isNotEqualTo(without);
    try (Dl4jModel reference = Dl4jModel.load(artifact)) {
      double[][] expected = reference.predict(List.of(inContext, event));
      assertThat(with).containsExactly(expected[0], within(1e-6));
      assertThat(without).containsExactly(expected[1], within(1e-6));
    }
    Sample other = event.withContext(new KeyContext(1, 1, new double[1]));
    assertThatThrownBy(() -> plain.predict(other)).hasMessageContaining("context of 1 values");
  }

  @Test
  void new_aModelWithoutHistory_isRefused() {
    ModelSpec none = new RandomModel(RandomModel.Kind.MEMBERS, false, true, 1).spec();
    assertThatThrownBy(() -> new ServingHistories(none)).hasMessageContaining("'history'");
    assertThatThrownBy(() -> histories.label(bare(), 1)).hasMessageContaining("no context");
    assertThatThrownBy(() -> histories.arrived("", bare())).hasMessageContaining("without a key");
  }
}
