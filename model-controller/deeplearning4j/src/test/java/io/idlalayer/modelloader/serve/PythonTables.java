package io.idlalayer.modelloader.serve;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Versions of a model with tables of every kind, most of which hold changes of rows only. */
final class PythonTables {
  private static final int IDS = 30;

  private final ModelPublisher publisher;
  private final Path folder;
  private final Random random;
  private final ModelSpec spec;
  private @Nullable ModelCheckpoint last;

  PythonTables(ModelPublisher publisher, Path folder, long seed) {
    this.publisher = publisher;
    this.folder = folder;
    random = new Random(seed);
    spec = withTables();
  }

  private static ModelSpec withTables() {
    RowIndex open = RowIndex.OPEN.with(HashKey.parse("00112233445566778899aabbccddeeff"));
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(SampleSchema.DenseFeature.of("price")),
            List.of(new SampleSchema.CategoricalFeature("kind", 7)),
            List.of(
                new SampleSchema.IdFeature("user", 1, open),
                new SampleSchema.IdFeature("friends", 4, open),
                new SampleSchema.IdFeature("shop", 2, RowIndex.hash(50)),
                new SampleSchema.IdFeature("place", 1, RowIndex.number(12))),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes")),
            null);
    ModelSpec.Embeddings embeddings =
        new ModelSpec.Embeddings(
            List.of(
                new ModelSpec.Table("users \u00fc", 3),
                new ModelSpec.Table("shops", 2),
                new ModelSpec.Table("places", 4)),
            List.of(
                new ModelSpec.Use(0, IdPooling.SUM),
                new ModelSpec.Use(0, IdPooling.MEAN),
                new ModelSpec.Use(1, IdPooling.SUM),
                new ModelSpec.Use(2, IdPooling.MEAN)),
            new ModelSpec.RowFit(RowUpdater.SGD, 0.1, 0.1));
    return new ModelSpec(
        schema,
        new ModelSpec.Network.WideAndDeep(List.of(5)),
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 1e-4),
        true,
        embeddings);
  }

  ModelSpec spec() {
    return spec;
  }

  /** Publishes the next version, with all rows or with changes since the version before. */
  ModelCheckpoint publish(RowFile.Kind kind) throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(spec).encode());
    try (ModelNetwork network = LibraryBuilders.create(spec, random.nextLong())) {
      files.put(ModelArtifact.NETWORK_FILE, network.encode());
    }
    Path rows = folder.resolve("rows");
    write(rows, kind);
    String kindName =
        kind == RowFile.Kind.FULL ? ModelManifest.FULL_ROWS : ModelManifest.ROW_CHANGES;
    ModelCheckpoint published =
        publisher.publish(
            Drafts.of(
                "app",
                0,
                last,
                Map.of(ModelManifest.ROWS, kindName),
                files,
                Map.of(ModelManifest.ROWS_FILE, rows)));
    Files.delete(rows);
    last = published;
    return published;
  }

  private void write(Path file, RowFile.Kind kind) throws IOException {
    EmbeddingPlan plan = EmbeddingPlans.of(spec);
    try (OutputStream out = Files.newOutputStream(file)) {
      RowFile.Writer writer = new RowFile.Writer(out, kind, plan.tables().size());
      for (EmbeddingPlan.Table table : plan.tables()) {
        writer.table(RowFile.Table.of(table));
        for (long key : keys(table)) {
          if (kind == RowFile.Kind.FULL || random.nextInt(3) == 0) {
            write(writer, table, key, kind);
          }
        }
        writer.end();
      }
      writer.flush();
    }
  }

  private void write(RowFile.Writer writer, EmbeddingPlan.Table table, long key, RowFile.Kind kind)
      throws IOException {
    boolean reserved = key == IdLists.MISSING || key == IdLists.UNKNOWN;
    if (kind == RowFile.Kind.DELTA && !reserved && random.nextInt(3) == 0) {
      writer.deleted(key);
      return;
    }
    float[] values = new float[table.layout().weights()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextGaussian();
    }
    writer.row(key, values, 0);
  }

  private static List<Long> keys(EmbeddingPlan.Table table) {
    Set<Long> keys = new LinkedHashSet<>(List.of(IdLists.MISSING, IdLists.UNKNOWN));
    for (int i = 0; i < IDS; i++) {
      keys.add(table.index().keyOf("u" + i));
      keys.add(table.index().keyOf(Integer.toString(i)));
    }
    List<Long> sorted = new ArrayList<>(keys);
    sorted.sort(Comparator.comparing(table::rowKey, Long::compareUnsigned));
    return sorted;
  }
}
