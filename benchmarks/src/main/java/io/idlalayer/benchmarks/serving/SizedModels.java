package io.idlalayer.benchmarks.serving;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.SampleDraft;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Versions of a model as large as those of a click log: a wide-and-deep network of 10 MB, most of
 * it weights of one-hot columns, and eight tables of 125,000 rows. Weights are random, so nothing
 * can be compressed. One thread.
 */
final class SizedModels {
  static final int ROWS = 1_000_000;
  static final int TOUCHED = 100_000;
  static final int DENSE = 13;
  static final int CATEGORICAL = 4;
  static final int BUCKETS = 2_600;
  static final int TABLES = 8;
  private static final int ROWS_OF_TABLE = ROWS / TABLES;
  private static final int DIM = 16;
  private static final List<Integer> HIDDEN = List.of(240, 64);

  /** Two numbers without a common divisor, so that versions differ in both. */
  private static final int NETWORKS = 8;

  private static final int CHANGES = 7;

  static final ModelSpec SPEC = spec();
  static final EmbeddingPlan PLAN = EmbeddingPlans.of(SPEC);

  private final SplittableRandom random = new SplittableRandom(1);
  private final Path folder;
  private final List<SortedMap<String, byte[]>> networks = new ArrayList<>();
  private final List<Path> changes = new ArrayList<>();
  private final Path allRows;
  private final long[][] sortedKeys = new long[TABLES][];
  private int drafts;

  /**
   * @param folder for files of rows: 150 MB, made now, so that versions cost no time later
   */
  SizedModels(Path folder) throws IOException {
    this.folder = folder;
    for (int i = 0; i < NETWORKS; i++) {
      networks.add(files(i));
    }
    for (int table = 0; table < TABLES; table++) {
      EmbeddingPlan.Table shape = PLAN.tables().get(table);
      Long[] keys = new Long[ROWS_OF_TABLE];
      Arrays.setAll(keys, SizedModels::key);
      Arrays.sort(keys, (a, b) -> Long.compareUnsigned(shape.rowKey(a), shape.rowKey(b)));
      sortedKeys[table] = Arrays.stream(keys).mapToLong(Long::longValue).toArray();
    }
    allRows = rows("all", RowFile.Kind.FULL, ROWS_OF_TABLE);
    for (int i = 0; i < CHANGES; i++) {
      changes.add(rows("changes-" + i, RowFile.Kind.DELTA, TOUCHED / TABLES));
    }
  }

  private static long key(int id) {
    return RowIndex.OPEN.keyOf(Integer.toString(id));
  }

  private static ModelSpec spec() {
    List<SampleSchema.DenseFeature> dense = new ArrayList<>();
    for (int i = 0; i < DENSE; i++) {
      dense.add(SampleSchema.DenseFeature.of("x" + i));
    }
    List<SampleSchema.CategoricalFeature> categorical = new ArrayList<>();
    for (int i = 0; i < CATEGORICAL; i++) {
      categorical.add(new SampleSchema.CategoricalFeature("c" + i, BUCKETS));
    }
    List<SampleSchema.IdFeature> ids = new ArrayList<>();
    List<ModelSpec.Table> tables = new ArrayList<>();
    List<ModelSpec.Use> uses = new ArrayList<>();
    for (int i = 0; i < TABLES; i++) {
      ids.add(new SampleSchema.IdFeature("i" + i, 1));
      tables.add(new ModelSpec.Table("t" + i, DIM));
      uses.add(new ModelSpec.Use(i, IdPooling.SUM));
    }
    return new ModelSpec(
        new SampleSchema(
            List.of(),
            dense,
            categorical,
            ids,
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            null),
        new ModelSpec.Network.WideAndDeep(HIDDEN),
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 0),
        true,
        new ModelSpec.Embeddings(tables, uses, new ModelSpec.RowFit(RowUpdater.SGD, 0.1, 0.1)));
  }

  private static SortedMap<String, byte[]> files(long seed) throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(SPEC));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(DENSE, true, false).encode());
    try {
      files.put(ModelArtifact.NETWORK_FILE, EngineNetworks.newFile(SPEC, seed));
    } catch (UncompilableException impossible) {
      throw new IllegalStateException("the engine knows this network", impossible);
    }
    return files;
  }

  /** Bytes of a network's file. */
  long networkBytes() {
    byte[] file = networks.get(0).get(ModelArtifact.NETWORK_FILE);
    return file == null ? 0 : file.length;
  }

  /** Samples for this model, each id with a row, as the predict endpoint makes them. */
  static List<Sample> samples(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sample> samples = new ArrayList<>();
    try {
      for (int s = 0; s < count; s++) {
        SampleDraft draft = new SampleDraft(SPEC.schema());
        for (int i = 0; i < DENSE; i++) {
          draft.dense(i, 0, (float) random.nextDouble(-2, 2));
        }
        for (int i = 0; i < CATEGORICAL; i++) {
          draft.category(i, Integer.toString(random.nextInt(10 * BUCKETS)));
        }
        for (int i = 0; i < TABLES; i++) {
          draft.id(i, Integer.toString(random.nextInt(ROWS_OF_TABLE)));
        }
        samples.add(draft.sample());
      }
    } catch (MalformedSampleException impossible) {
      throw new IllegalStateException(impossible);
    }
    return samples;
  }

  /**
   * The next version, with another network and other rows than the one before.
   *
   * @param parent null for the first one
   * @param all whether it has all rows, or those of {@value #TOUCHED} ids
   */
  ModelDraft draft(@Nullable ModelCheckpoint parent, boolean all) {
    int number = drafts++;
    Path rows = all ? allRows : changes.get(number % CHANGES);
    return new ModelDraft(
        "app",
        0,
        1,
        parent == null ? 0 : parent.manifest().version(),
        parent == null ? "" : parent.digest(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(
            Map.of(ModelManifest.ROWS, all ? ModelManifest.FULL_ROWS : ModelManifest.ROW_CHANGES)),
        networks.get(number % NETWORKS),
        new TreeMap<>(Map.of(ModelManifest.ROWS_FILE, rows)));
  }

  private Path rows(String name, RowFile.Kind kind, int count) throws IOException {
    Path rows = folder.resolve(name);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(rows), 1 << 20)) {
      RowFile.Writer writer = new RowFile.Writer(out, kind, TABLES);
      for (int table = 0; table < TABLES; table++) {
        write(writer, table, count);
      }
      writer.flush();
    }
    return rows;
  }

  /** Each row is as likely to be among the changed ones. */
  private void write(RowFile.Writer writer, int table, int count) throws IOException {
    EmbeddingPlan.Table shape = PLAN.tables().get(table);
    int weights = shape.layout().weights();
    writer.table(new RowFile.Table(shape.name(), shape.vector(), weights));
    float[] values = new float[weights];
    int left = count;
    for (int i = 0; i < ROWS_OF_TABLE; i++) {
      if (random.nextInt(ROWS_OF_TABLE - i) < left) {
        left--;
        for (int j = 0; j < weights; j++) {
          values[j] = (float) random.nextDouble(-0.1, 0.1);
        }
        writer.row(sortedKeys[table][i], values, 0);
      }
    }
    writer.end();
  }
}
