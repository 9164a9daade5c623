package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.ModelChangeCase.asServed;
import static io.idlalayer.modelcontroller.training.ModelChangeCase.byEngine;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.modelloader.serve.RandomModel;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** Trained models of random shapes whose features change. */
final class ModelChangePropertyTest {
  static final List<RandomModel.Kind> KINDS =
      Arrays.stream(RandomModel.Kind.values()).filter(kind -> !kind.placed()).toList();

  @Provide
  Arbitrary<Long> seeds() {
    return Arbitraries.longs();
  }

  /**
   * @param onlyAdds whether the features that were there stay what and in the order they were
   */
  private static ModelChangeCase drawn(long seed, boolean onlyAdds) throws Exception {
    ModelChangeCase of =
        new ModelChangeCase(
            seed,
            KINDS,
            false,
            ModelChangeCase.schema((schema, random) -> changed(schema, onlyAdds, random)));
    of.assume();
    return of;
  }

  private static SampleSchema changed(SampleSchema schema, boolean onlyAdds, Random random) {
    List<DenseFeature> dense = new ArrayList<>();
    for (DenseFeature feature : schema.dense()) {
      boolean first = feature.equals(schema.dense().get(0));
      boolean stays = onlyAdds || first || random.nextInt(4) > 0;
      if (stays) {
        int more = random.nextInt(5) == 0 ? 1 + random.nextInt(2) : 0;
        dense.add(
            new DenseFeature(
                feature.name(), feature.width() + more, feature.scale(), feature.reading()));
      }
    }
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      dense.add(random.nextInt(dense.size() + 1), new DenseFeature("new" + i, 1, 1));
    }
    List<CategoricalFeature> categorical = new ArrayList<>();
    for (CategoricalFeature feature : schema.categorical()) {
      if (onlyAdds || random.nextBoolean()) {
        categorical.add(feature);
      }
    }
    if (random.nextBoolean()) {
      categorical.add(random.nextInt(categorical.size() + 1), new CategoricalFeature("kind", 3));
    }
    if (!onlyAdds && random.nextBoolean()) {
      Collections.shuffle(dense, random);
      Collections.shuffle(categorical, random);
    }
    return new SampleSchema(
        List.of(),
        dense,
        categorical,
        schema.ids(),
        schema.label(),
        schema.id(),
        schema.weight(),
        schema.history());
  }

  /** The samples as if whatever is removed had been missing in them. */
  private static List<Sample> withoutRemoved(ModelChangeCase of) {
    ColumnMap dense = of.change().schema().dense();
    ColumnMap categorical = of.change().schema().categorical();
    return of.samples.stream()
        .map(
            sample -> {
              double[] values = sample.dense().clone();
              for (int column : dense.removed()) {
                values[column] = Double.NaN;
              }
              int[] buckets = sample.categorical().clone();
              for (int feature : categorical.removed()) {
                buckets[feature] = 0;
              }
              return new Sample("", values, buckets, sample.ids(), sample.label())
                  .withContext(withoutRemoved(of, sample.context(), dense));
            })
        .toList();
  }

  private static KeyContext withoutRemoved(
      ModelChangeCase of, KeyContext context, ColumnMap dense) {
    SampleSchema.History history = of.before.schema().history();
    if (history == null || !history.changes()) {
      return context;
    }
    double[] values = context.values().clone();
    int from = values.length - dense.before();
    FeatureScaler scaler = scaler(of.model);
    for (int column : dense.removed()) {
      // The value that is scaled to 0, which a row without context has.
      values[from + column] = scaler.context().linear(from + column).centre();
    }
    return new KeyContext(context.key(), context.order(), values);
  }

  private static FeatureScaler scaler(ModelArtifact model) {
    try {
      return FeatureScaler.decode(model.file(ModelArtifact.SCALER_FILE));
    } catch (java.io.IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void addedFeatures_beforeTheFirstUpdate_changeNoBitOfAPrediction(@ForAll("seeds") long seed)
      throws Exception {
    ModelChangeCase of = drawn(seed, true);
    ModelArtifact grown = of.changed();
    List<Sample> converted = of.converted();
    float[] served = asServed(of.model, of.samples, of.vectors(of.samples));
    assertThat(asServed(grown, converted, of.vectorsAfter(converted))).isEqualTo(served);
    List<Sample> full = new ArrayList<>();
    for (Sample sample : converted) {
      double[] dense = sample.dense().clone();
      for (int i = 0; i < dense.length; i++) {
        dense[i] = Double.isNaN(dense[i]) ? of.random.nextGaussian() : dense[i];
      }
      full.add(
          new Sample("", dense, sample.categorical(), sample.ids(), sample.label())
              .withContext(sample.context()));
    }
    assertThat(asServed(grown, full, of.vectorsAfter(full))).isEqualTo(served);
    double[][] scored = byEngine(of.now, of.model, full, of.vectorsAfter(full));
    double[][] expected = byEngine(of.before, of.model, of.samples, of.vectors(of.samples));
    for (int i = 0; i < scored.length; i++) {
      // A library may add the products of a longer row in another order.
      assertThat(scored[i])
          .as("the scorer converts what it loads")
          .containsExactly(expected[i], within(1e-5 * (1 + Math.abs(expected[i][0]))));
    }
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void changedFeatures_predictLikeMissingOnes(@ForAll("seeds") long seed) throws Exception {
    ModelChangeCase of = drawn(seed, false);
    ModelArtifact changed = of.changed();
    List<Sample> without = withoutRemoved(of);
    float[] expected = asServed(of.model, without, of.vectors(without));
    float[] found = asServed(changed, of.converted(), of.vectorsAfter(of.converted()));
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i]).isCloseTo(expected[i], within(1e-4f * (1 + Math.abs(expected[i]))));
    }
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void training_afterAChange_isThatOfTheNewSpecification(@ForAll("seeds") long seed)
      throws Exception {
    ModelChangeCase of = drawn(seed, false);
    List<Sample> samples = new ArrayList<>(of.converted());
    samples.addAll(of.samples(of.now.schema()));
    TrainingResult result = of.trainedOn(samples);
    assertThat(result.meanLossAfter()).isFinite();
    ModelArtifact started = of.changed();
    assertThat(asServed(result.model(), samples, of.vectorsAfter(samples)))
        .isNotEqualTo(asServed(started, samples, of.vectorsAfter(samples)));
    assertThat(ModelFiles.read(result.model(), Long.MAX_VALUE).spec()).isEqualTo(of.now);
  }

  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  void addedFeatures_removedAgain_giveTheSameFiles(@ForAll("seeds") long seed) throws Exception {
    ModelChangeCase of = drawn(seed, true);
    ModelArtifact there = of.changed();
    ModelArtifact back = new ModelChange(of.before).fitting(there);
    for (String file : of.model.files().keySet()) {
      if (!file.equals(ModelArtifact.HELD_OUT_FILE)) {
        assertThat(back.files().get(file)).as(file).isEqualTo(of.model.files().get(file));
      }
    }
    assertThat(new ModelChange(of.before).fitting(of.model)).isSameAs(of.model);
  }
}
