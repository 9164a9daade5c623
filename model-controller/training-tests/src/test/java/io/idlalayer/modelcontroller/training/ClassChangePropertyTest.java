package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.ModelChangeCase.asServed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.SampleChange;
import io.idlalayer.middleware.sample.change.UnseenClass;
import io.idlalayer.modelloader.serve.RandomModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** Trained models of random shapes whose classes change. */
final class ClassChangePropertyTest {
  /** Plain gradient descent with a small rate takes more than one update to gain anything. */
  private static final int UPDATES = 4;

  private static final List<RandomModel.Kind> KINDS =
      List.of(
          RandomModel.Kind.MLP,
          RandomModel.Kind.MEMBERS,
          RandomModel.Kind.HISTORY,
          RandomModel.Kind.MLP_WITH_TABLES,
          RandomModel.Kind.DLRM,
          RandomModel.Kind.WIDE_AND_DEEP,
          RandomModel.Kind.CNN);

  @Provide
  Arbitrary<Long> seeds() {
    return Arbitraries.longs();
  }

  /** What happens to the classes. */
  private enum Change {
    ADD,
    REORDER,
    ANY
  }

  private static ModelChangeCase drawn(long seed, Change change) throws Exception {
    ModelChangeCase of =
        new ModelChangeCase(
            seed,
            KINDS,
            true,
            ModelChangeCase.schema((schema, random) -> changed(schema, change, random)));
    of.assume();
    return of;
  }

  private static SampleSchema changed(SampleSchema schema, Change change, Random random) {
    List<String> classes = new ArrayList<>(schema.label().classes());
    if (change == Change.REORDER) {
      Collections.rotate(classes, 1 + random.nextInt(classes.size() - 1));
    } else {
      if (change == Change.ANY) {
        Collections.shuffle(classes, random);
        for (int more = random.nextInt(classes.size()); more > 0; more--) {
          classes.remove(0);
        }
      }
      for (int i = 0; i < 1 + random.nextInt(3); i++) {
        classes.add(random.nextInt(classes.size() + 1), "new" + i);
      }
    }
    return schema.with(
        new SampleSchema.Label(schema.label().name(), schema.label().task(), classes));
  }

  /** One mean of members, or the output of a network, for each row. */
  private static double[][] probabilities(
      ModelArtifact model, List<Sample> samples, IdVectors vectors) throws Exception {
    float[] served = asServed(model, samples, vectors);
    int classes = ModelFiles.read(model, Long.MAX_VALUE).spec().outputWidth();
    double[][] rows = new double[served.length / classes][classes];
    for (int i = 0; i < served.length; i++) {
      rows[i / classes][i % classes] = served[i];
    }
    return rows;
  }

  private static double[][] before(ModelChangeCase of, List<Sample> samples) throws Exception {
    return probabilities(of.model, samples, of.vectors(samples));
  }

  private static double[][] after(ModelChangeCase of, List<Sample> samples) throws Exception {
    List<Sample> converted = samples.stream().map(of.change()::of).toList();
    return probabilities(of.changed(), converted, of.vectorsAfter(converted));
  }

  /** The samples that go on, whose last labels are of classes that stay. */
  private static List<Sample> kept(ModelChangeCase of) {
    int[] lost = SampleChange.context(of.change().schema(), of.now.schema()).removed();
    return of.samples.stream()
        .filter(of.change()::keeps)
        .filter(sample -> !sample.context().known() || hasNone(sample.context().values(), lost))
        .toList();
  }

  private static boolean hasNone(double[] values, int[] columns) {
    return Arrays.stream(columns).allMatch(column -> values[column] == 0);
  }

  @Property(tries = 80, shrinking = ShrinkingMode.OFF)
  void changedClasses_beforeTheFirstUpdate_keepTheirRatios(@ForAll("seeds") long seed)
      throws Exception {
    ModelChangeCase of = drawn(seed, Change.ANY);
    ColumnMap classes = of.change().schema().classes();
    double unseen = UnseenClass.probability(classes.after());
    Assume.that(!kept(of).isEmpty());
    double[][] old = before(of, kept(of));
    double[][] now = after(of, kept(of));
    assertThat(now).hasSameDimensionsAs(now).hasNumberOfRows(old.length);
    for (int row = 0; row < now.length; row++) {
      double stay = 0;
      double fresh = 0;
      for (int k = 0; k < classes.after(); k++) {
        if (classes.source(k) == ColumnMap.ADDED) {
          // Logits of members may be above 0 on average.
          double most = of.before.members() == 1 ? 1.001 * unseen : 0.01;
          assertThat(now[row][k]).as("new class").isPositive().isLessThanOrEqualTo(most);
          fresh += now[row][k];
        } else {
          stay += old[row][classes.source(k)];
        }
      }
      for (int k = 0; k < classes.after(); k++) {
        if (classes.source(k) != ColumnMap.ADDED) {
          double share = old[row][classes.source(k)] / stay;
          assertThat(now[row][k])
              .as("class that stays")
              .isCloseTo(share * (1 - fresh), within(2e-5 + 2e-4 * share));
        }
      }
    }
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void otherOrder_beforeTheFirstUpdate_isThatOfThePredictions(@ForAll("seeds") long seed)
      throws Exception {
    ModelChangeCase of = drawn(seed, Change.REORDER);
    ColumnMap classes = of.change().schema().classes();
    double[][] old = before(of, of.samples);
    double[][] now = after(of, of.samples);
    for (int row = 0; row < now.length; row++) {
      for (int k = 0; k < classes.after(); k++) {
        assertThat(now[row][k]).isCloseTo(old[row][classes.source(k)], within(1e-6));
      }
    }
  }

  @Property(tries = 30, shrinking = ShrinkingMode.OFF)
  void addedClasses_removedAgain_giveTheSameFiles(@ForAll("seeds") long seed) throws Exception {
    ModelChangeCase of = drawn(seed, Change.ADD);
    ModelArtifact back = new ModelChange(of.before).fitting(of.changed());
    for (String file : of.model.files().keySet()) {
      if (!file.equals(ModelArtifact.HELD_OUT_FILE)) {
        assertThat(back.files().get(file)).as(file).isEqualTo(of.model.files().get(file));
      }
    }
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void training_afterAChange_isThatOfTheNewClasses(@ForAll("seeds") long seed) throws Exception {
    ModelChangeCase of = drawn(seed, Change.ANY);
    List<Sample> samples = new ArrayList<>(of.converted());
    samples.addAll(of.samples(of.now.schema()));
    List<TrainingResult> updates = of.updates(samples, UPDATES);
    TrainingResult result = updates.get(UPDATES - 1);
    assertThat(result.meanLossAfter()).isFinite().isLessThan(updates.get(0).meanLossBefore());
    assertThat(ModelFiles.read(result.model(), Long.MAX_VALUE).spec()).isEqualTo(of.now);
  }
}
