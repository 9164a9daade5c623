package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.embedding.table.TablesChange;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.sample.change.SampleChange;
import io.idlalayer.middleware.sample.history.KeyHistories;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelloader.serve.RandomModel;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import io.idlalayer.modelruntime.input.InputChange;
import io.idlalayer.modelruntime.input.NetworkInput;
import io.idlalayer.modelruntime.network.InputRows;
import io.idlalayer.modelruntime.network.PlainNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import net.jqwik.api.Assume;
import org.jspecify.annotations.Nullable;

/** A trained model of a random shape, samples of its schema, and what its schema becomes. */
final class ModelChangeCase {
  private static final KernelLibrary KERNELS = MachineKernels.best();
  private static final int SAMPLES = 96;
  private static final RowSettings ROWS = RowSettings.DEFAULT;

  final Random random;
  final ModelSpec before;
  final ModelSpec now;
  final List<Sample> samples;
  final ModelArtifact model;

  private final InMemoryRowStore store = new InMemoryRowStore();
  private final byte[] tables;

  /**
   * @param kinds kinds of networks to choose from
   * @param classes whether the label is a class; otherwise it may be either
   * @param change makes what the specification becomes
   */
  ModelChangeCase(
      long seed,
      List<RandomModel.Kind> kinds,
      boolean classes,
      BiFunction<ModelSpec, Random, ModelSpec> change)
      throws Exception {
    random = new Random(seed);
    RandomModel.Kind kind = kinds.get(random.nextInt(kinds.size()));
    boolean regression = random.nextBoolean() && !classes;
    ModelSpec drawn = new RandomModel(kind, regression, random.nextBoolean(), seed).spec();
    ModelSpec.Updater[] updaters = ModelSpec.Updater.values();
    RowUpdater[] rowUpdaters = RowUpdater.values();
    ModelSpec.Embeddings tablesOf = drawn.embeddings();
    before =
        new ModelSpec(
            drawn.schema(),
            drawn.network(),
            new ModelSpec.Fit(16, 2, updaters[random.nextInt(updaters.length)], 0.003, 1e-4),
            drawn.standardize(),
            new ModelSpec.Embeddings(
                tablesOf.tables(),
                tablesOf.uses(),
                new ModelSpec.RowFit(rowUpdaters[random.nextInt(rowUpdaters.length)], 0.05, 0.1)));
    now = change.apply(before, random);
    samples = samples(before.schema());
    RowTables rows = tables(before, store);
    RowBatch gathered = before.embeddings().tables().isEmpty() ? null : gathered(rows, samples);
    model = trained(before, null, samples, gathered).model();
    if (gathered != null) {
      rows.commit(gathered, 1);
      rows.write();
    }
    tables = rows.snapshot();
  }

  /** Returns a change of the schema. */
  static BiFunction<ModelSpec, Random, ModelSpec> schema(
      BiFunction<SampleSchema, Random, SampleSchema> change) {
    return (spec, random) -> spec.with(change.apply(spec.schema(), random));
  }

  void assume() {
    Assume.that(new InputChange(before, now).refusals().isEmpty());
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
          schema.categorical().stream().mapToInt(each -> random.nextInt(each.buckets())).toArray();
      int classes = schema.label().classes().size();
      double label = classes == 0 ? dense[0] : Math.abs((int) (2 * dense[0])) % classes;
      Sample sample = new Sample("", dense, categorical, ids(schema.ids().size()), label);
      if (histories.kept()) {
        sample = histories.inContext(sample.withContext(KeyContext.ofKey(1 + i % 3)));
        histories.remember(sample);
      }
      all.add(sample);
    }
    return all;
  }

  IdLists ids(int features) {
    long[] keys = new long[features];
    for (int k = 0; k < keys.length; k++) {
      keys[k] = 2L + random.nextInt(6);
    }
    return keys.length == 0 ? IdLists.NONE : IdLists.single(keys);
  }

  SampleChange change() {
    return new SampleChange(before.schema(), now.schema());
  }

  /** The samples as they are stored after the change; those of classes that are gone are too. */
  List<Sample> converted() {
    SampleChange change = change();
    return samples.stream().filter(change::keeps).map(change::of).toList();
  }

  /** Returns the model after the change. */
  ModelArtifact changed() throws Exception {
    return new ModelChange(now).fitting(model);
  }

  private static RowTables tables(ModelSpec spec, InMemoryRowStore store) {
    return new RowTables(EmbeddingPlans.of(spec), EmbeddingPlans.rule(spec, 1), ROWS, store);
  }

  private static RowBatch gathered(RowTables rows, List<Sample> samples) {
    return rows.gatherToTrain(samples.stream().map(Sample::ids).toList(), List.of());
  }

  /** The tables after the change, with the rows of those before. */
  private RowTables tablesAfter() {
    InMemoryRowStore copy = store.copy();
    RowTables rows = tables(now, copy);
    InputChange input = new InputChange(before, now);
    if (before.embeddings().tables().isEmpty()) {
      return rows;
    }
    byte[] snapshot =
        input.sameRows()
            ? tables
            : new TablesChange(EmbeddingPlans.of(before), EmbeddingPlans.of(now), input.outputs())
                .convert(copy, tables);
    rows.restore(snapshot);
    return rows;
  }

  /** The vectors of samples before the change. */
  IdVectors vectors(List<Sample> of) {
    if (before.embeddings().tables().isEmpty()) {
      return IdVectors.NONE;
    }
    RowTables rows = tables(before, store.copy());
    rows.restore(tables);
    return rows.look(of.stream().map(Sample::ids).toList());
  }

  /** The vectors of samples after the change. */
  IdVectors vectorsAfter(List<Sample> of) {
    return now.embeddings().tables().isEmpty()
        ? IdVectors.NONE
        : tablesAfter().look(of.stream().map(Sample::ids).toList());
  }

  /** Trains the model on with samples of the specification after the change. */
  TrainingResult trainedOn(List<Sample> of) throws Exception {
    return trainedOn(model, of);
  }

  /** Returns the results of some updates of the model after the change, each with all samples. */
  List<TrainingResult> updates(List<Sample> of, int count) throws Exception {
    List<TrainingResult> results = new ArrayList<>();
    ModelArtifact base = model;
    for (int i = 0; i < count; i++) {
      results.add(trainedOn(base, of));
      base = results.get(i).model();
    }
    return results;
  }

  private TrainingResult trainedOn(ModelArtifact base, List<Sample> of) throws Exception {
    RowBatch rows = now.embeddings().tables().isEmpty() ? null : gathered(tablesAfter(), of);
    return trained(now, base, of, rows);
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

  /** What a model predicts with the engine that trains. */
  static double[][] byEngine(
      ModelSpec spec, ModelArtifact model, List<Sample> samples, IdVectors vectors)
      throws Exception {
    try (TaskModel loaded =
        EngineChoice.of(EngineName.AUTO, spec, null).testedModels().load(model)) {
      return loaded.predict(samples, vectors);
    }
  }

  /** What the network of a model gives where models are served, in plain Java. */
  static float[] asServed(ModelArtifact model, List<Sample> samples, IdVectors vectors)
      throws Exception {
    ModelFiles files = ModelFiles.read(model, Long.MAX_VALUE);
    PlainNetwork network = PlainNetwork.decode(files.spec(), files.network(), Long.MAX_VALUE);
    InputRows input = new NetworkInput(files.spec()).rows(samples, files.scaler(), vectors);
    return network.output(input);
  }
}
