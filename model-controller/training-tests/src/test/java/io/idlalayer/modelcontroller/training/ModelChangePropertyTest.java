package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.SampleChange;
import io.idlalayer.middleware.sample.history.KeyHistories;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelloader.serve.RandomModel;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import io.idlalayer.modelruntime.input.InputChange;
import io.idlalayer.modelruntime.input.NetworkInput;
import io.idlalayer.modelruntime.network.InputRows;
import io.idlalayer.modelruntime.network.PlainNetwork;
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
import org.jspecify.annotations.Nullable;

/** Trained models of random shapes whose features change. */
final class ModelChangePropertyTest {
  private static final KernelLibrary KERNELS = new OneDnnKernels();
  private static final int SAMPLES = 96;
  private static final List<RandomModel.Kind> KINDS =
      Arrays.stream(RandomModel.Kind.values()).filter(kind -> !kind.placed()).toList();

  @Provide
  Arbitrary<Long> seeds() {
    return Arbitraries.longs();
  }

  /** A trained model, samples of its schema, and what its schema becomes. */
  private static final class Case {
    final Random random;
    final ModelSpec before;
    final ModelSpec now;
    final List<Sample> samples;
    final @Nullable RowBatch rows;
    final ModelArtifact model;

    /**
     * @param onlyAdds whether the features that were there stay what and in the order they were
     */
    Case(long seed, boolean onlyAdds) throws Exception {
      random = new Random(seed);
      RandomModel.Kind kind = KINDS.get(random.nextInt(KINDS.size()));
      ModelSpec drawn =
          new RandomModel(kind, random.nextBoolean(), random.nextBoolean(), seed).spec();
      ModelSpec.Updater[] updaters = ModelSpec.Updater.values();
      before =
          new ModelSpec(
              drawn.schema(),
              drawn.network(),
              new ModelSpec.Fit(16, 2, updaters[random.nextInt(updaters.length)], 0.003, 1e-4),
              drawn.standardize(),
              drawn.embeddings());
      now = before.with(changed(before.schema(), onlyAdds));
      samples = samples(before.schema());
      rows = rows(before, samples);
      model = trained(before, null, samples, rows).model();
    }

    private SampleSchema changed(SampleSchema schema, boolean onlyAdds) {
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

    List<Sample> samples(SampleSchema schema) {
      KeyHistories histories = new KeyHistories(schema);
      List<Sample> all = new ArrayList<>();
      for (int i = 0; i < SAMPLES; i++) {
        double[] dense = new double[schema.denseWidth()];
        for (int k = 0; k < dense.length; k++) {
          dense[k] = k / 4.0 + random.nextGaussian();
        }
        int[] categorical =
            schema.categorical().stream()
                .mapToInt(each -> random.nextInt(each.buckets()))
                .toArray();
        long[] keys = new long[schema.ids().size()];
        for (int k = 0; k < keys.length; k++) {
          keys[k] = 2L + random.nextInt(6);
        }
        int classes = schema.label().classes().size();
        double label = classes == 0 ? dense[0] : Math.abs((int) dense[0]) % classes;
        Sample sample =
            new Sample(
                "",
                dense,
                categorical,
                keys.length == 0 ? IdLists.NONE : IdLists.single(keys),
                label);
        if (histories.kept()) {
          sample = histories.inContext(sample.withContext(KeyContext.ofKey(1 + i % 3)));
          histories.remember(sample);
        }
        all.add(sample);
      }
      return all;
    }

    /** The samples as they are stored after the change. */
    List<Sample> converted() {
      SampleChange change = new SampleChange(before.schema(), now.schema());
      return samples.stream().map(change::of).toList();
    }

    /** The samples as if whatever is removed had been missing in them. */
    List<Sample> withoutRemoved() {
      SampleChange there = new SampleChange(before.schema(), now.schema());
      ColumnMap dense = there.schema().dense();
      ColumnMap categorical = there.schema().categorical();
      return samples.stream()
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
                    .withContext(withoutRemoved(sample.context(), dense));
              })
          .toList();
    }

    private KeyContext withoutRemoved(KeyContext context, ColumnMap dense) {
      SampleSchema.History history = before.schema().history();
      if (history == null || !history.changes()) {
        return context;
      }
      double[] values = context.values().clone();
      int from = values.length - dense.before();
      FeatureScaler scaler = scaler(model);
      for (int column : dense.removed()) {
        // The value that is scaled to 0, which a row without context has.
        values[from + column] = scaler.context().linear(from + column).centre();
      }
      return new KeyContext(context.key(), context.order(), values);
    }
  }

  private static FeatureScaler scaler(ModelArtifact model) {
    try {
      return FeatureScaler.decode(model.file(ModelArtifact.SCALER_FILE));
    } catch (java.io.IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static @Nullable RowBatch rows(ModelSpec spec, List<Sample> samples) {
    return spec.embeddings().tables().isEmpty()
        ? null
        : new RowTables(
                EmbeddingPlans.of(spec),
                EmbeddingPlans.rule(spec, 1),
                RowSettings.DEFAULT,
                new InMemoryRowStore())
            .gatherToTrain(samples.stream().map(Sample::ids).toList(), List.of());
  }

  private static TrainingResult trained(
      ModelSpec spec, @Nullable ModelArtifact base, List<Sample> samples, @Nullable RowBatch rows)
      throws Exception {
    List<TrainingRow> batch = new ArrayList<>();
    for (Sample sample : samples) {
      batch.add(new TrainingRow(batch.size(), batch.size(), sample, Float.NaN, true));
    }
    TrainingEngine engine = new TapeEngine(spec, KERNELS);
    try (Trainer trainer = new NetworkTrainer(spec, rows == null, engine)) {
      return trainer.train(new TrainingRequest(base, new TrainingBatch(1, batch), 1, rows));
    }
  }

  private static IdVectors vectors(@Nullable RowBatch rows) {
    return rows == null ? IdVectors.NONE : rows;
  }

  /** What a model predicts with the engine that trains. */
  private static double[][] byEngine(
      ModelSpec spec, ModelArtifact model, List<Sample> samples, @Nullable RowBatch rows)
      throws Exception {
    try (TaskModel loaded =
        EngineChoice.of(EngineName.ONEDNN, spec, null).testedModels().load(model)) {
      return loaded.predict(samples, vectors(rows));
    }
  }

  /** What the network of a model gives where models are served, in plain Java. */
  private static float[] asServed(
      ModelArtifact model, List<Sample> samples, @Nullable RowBatch rows) throws Exception {
    ModelFiles files = ModelFiles.read(model, Long.MAX_VALUE);
    PlainNetwork network = PlainNetwork.decode(files.spec(), files.network(), Long.MAX_VALUE);
    InputRows input = new NetworkInput(files.spec()).rows(samples, files.scaler(), vectors(rows));
    return network.output(input);
  }

  private static void assume(Case of) {
    Assume.that(new InputChange(of.before, of.now).refusals().isEmpty());
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void addedFeatures_beforeTheFirstUpdate_changeNoBitOfAPrediction(@ForAll("seeds") long seed)
      throws Exception {
    Case of = new Case(seed, true);
    assume(of);
    ModelArtifact grown = new ModelChange(of.now).fitting(of.model);
    List<Sample> converted = of.converted();
    assertThat(asServed(grown, converted, of.rows))
        .isEqualTo(asServed(of.model, of.samples, of.rows));
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
    assertThat(asServed(grown, full, of.rows)).isEqualTo(asServed(of.model, of.samples, of.rows));
    double[][] scored = byEngine(of.now, of.model, full, of.rows);
    double[][] expected = byEngine(of.before, of.model, of.samples, of.rows);
    for (int i = 0; i < scored.length; i++) {
      // A library may add the products of a longer row in another order.
      assertThat(scored[i])
          .as("the scorer converts what it loads")
          .containsExactly(expected[i], within(1e-5 * (1 + Math.abs(expected[i][0]))));
    }
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void changedFeatures_predictLikeMissingOnes(@ForAll("seeds") long seed) throws Exception {
    Case of = new Case(seed, false);
    assume(of);
    ModelArtifact changed = new ModelChange(of.now).fitting(of.model);
    float[] expected = asServed(of.model, of.withoutRemoved(), of.rows);
    float[] found = asServed(changed, of.converted(), of.rows);
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i]).isCloseTo(expected[i], within(1e-4f * (1 + Math.abs(expected[i]))));
    }
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void training_afterAChange_isThatOfTheNewSpecification(@ForAll("seeds") long seed)
      throws Exception {
    Case of = new Case(seed, false);
    assume(of);
    List<Sample> samples = new ArrayList<>(of.converted());
    samples.addAll(of.samples(of.now.schema()));
    TrainingResult result = trained(of.now, of.model, samples, rows(of.now, samples));
    assertThat(result.meanLossAfter()).isFinite();
    ModelArtifact started = new ModelChange(of.now).fitting(of.model);
    assertThat(asServed(result.model(), samples, rows(of.now, samples)))
        .isNotEqualTo(asServed(started, samples, rows(of.now, samples)));
    assertThat(ModelFiles.read(result.model(), Long.MAX_VALUE).spec()).isEqualTo(of.now);
  }

  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  void addedFeatures_removedAgain_giveTheSameFiles(@ForAll("seeds") long seed) throws Exception {
    Case of = new Case(seed, true);
    assume(of);
    ModelArtifact there = new ModelChange(of.now).fitting(of.model);
    ModelArtifact back = new ModelChange(of.before).fitting(there);
    for (String file : of.model.files().keySet()) {
      if (!file.equals(ModelArtifact.HELD_OUT_FILE)) {
        assertThat(back.files().get(file)).as(file).isEqualTo(of.model.files().get(file));
      }
    }
    assertThat(new ModelChange(of.before).fitting(of.model)).isSameAs(of.model);
  }
}
