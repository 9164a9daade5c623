package io.idlalayer.modelloader.serve;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import io.idlalayer.modelruntime.input.ChainedRows;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** Untrained models of random shapes, their samples, and versions of them. */
public final class RandomModel {
  /** Ids that have a row; those above do not. */
  private static final int IDS = 20;

  private static final int DIM = 3;

  /** Kinds of networks that models are made of. */
  public enum Kind {
    MLP,
    MEMBERS,
    HISTORY,
    MLP_WITH_TABLES,
    DLRM,
    WIDE_AND_DEEP,
    CNN,
    IMAGES,
    SERIES;

    /** Whether a row is nothing but numbers of which all have a place. */
    public boolean placed() {
      return this == CNN || this == IMAGES || this == SERIES;
    }
  }

  private final Random random;
  private final ModelSpec spec;
  private final long seed;

  /** A model of this network over images of one feature. */
  RandomModel(ModelSpec.Network network, int numbers, List<String> classes, long seed) {
    random = new Random(seed);
    this.seed = seed;
    spec =
        new ModelSpec(
            new SampleSchema(
                List.of(),
                List.of(new SampleSchema.DenseFeature("x", numbers, 1)),
                List.of(),
                new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, classes),
                null),
            network,
            new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 1e-4),
            true);
  }

  public RandomModel(Kind kind, boolean regression, boolean standardize, long seed) {
    random = new Random(seed);
    this.seed = seed;
    spec = spec(kind, regression, standardize);
  }

  /** A model of targets with a loss. */
  RandomModel(Kind kind, TargetLoss loss, boolean standardize, long seed) {
    random = new Random(seed);
    this.seed = seed;
    spec = spec(kind, true, standardize).with(loss);
  }

  private ModelSpec spec(Kind kind, boolean regression, boolean standardize) {
    List<SampleSchema.DenseFeature> dense = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(9); i++) {
      // A power of two, so that values can be divided by it.
      dense.add(new SampleSchema.DenseFeature("x" + i, 1, random.nextBoolean() ? 1 : 0.25f));
    }
    List<SampleSchema.CategoricalFeature> categorical = new ArrayList<>();
    for (int i = 0; i < random.nextInt(3); i++) {
      categorical.add(new SampleSchema.CategoricalFeature("c" + i, 2 + random.nextInt(9)));
    }
    List<String> classes = new ArrayList<>();
    for (int i = 0; i < 2 + random.nextInt(4) && !regression; i++) {
      classes.add("k" + i);
    }
    SampleSchema.Label label =
        new SampleSchema.Label(
            "y",
            regression ? SampleSchema.Task.REGRESSION : SampleSchema.Task.CLASSIFICATION,
            classes);
    if (kind.placed()) {
      return placed(kind, label, standardize);
    }
    ModelSpec.Network network =
        switch (kind) {
          case MLP, MLP_WITH_TABLES -> new ModelSpec.Network.Mlp(widths(0));
          case MEMBERS -> new ModelSpec.Network.Mlp(widths(0), 2 + random.nextInt(4));
          case HISTORY -> new ModelSpec.Network.Mlp(widths(0), 1 + random.nextInt(4));
          case DLRM -> new ModelSpec.Network.Dlrm(widths(1), widths(1));
          case WIDE_AND_DEEP -> new ModelSpec.Network.WideAndDeep(widths(1));
          case CNN, IMAGES, SERIES -> throw new IllegalArgumentException(kind.name());
        };
    ModelSpec.Fit fit = new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 1e-4);
    SampleSchema plain = new SampleSchema(List.of(), dense, categorical, label, null);
    if (kind == Kind.MLP || kind == Kind.MEMBERS) {
      return new ModelSpec(plain, network, fit, standardize);
    }
    if (kind == Kind.HISTORY) {
      int labels = random.nextInt(3);
      SampleSchema.History history =
          new SampleSchema.History("key", labels, labels == 0 || random.nextBoolean(), 10);
      return new ModelSpec(plain.with(history), network, fit, true);
    }
    List<SampleSchema.IdFeature> ids =
        List.of(new SampleSchema.IdFeature("i", 1), new SampleSchema.IdFeature("j", 4));
    ModelSpec.Embeddings embeddings =
        new ModelSpec.Embeddings(
            List.of(new ModelSpec.Table("one", DIM), new ModelSpec.Table("two", DIM)),
            List.of(new ModelSpec.Use(0, IdPooling.SUM), new ModelSpec.Use(1, IdPooling.MEAN)),
            new ModelSpec.RowFit(RowUpdater.SGD, 0.1, 0.1));
    return new ModelSpec(
        new SampleSchema(List.of(), dense, categorical, ids, label, null),
        network,
        fit,
        standardize,
        embeddings);
  }

  private ModelSpec placed(Kind kind, SampleSchema.Label label, boolean standardize) {
    RandomLayers layers = new RandomLayers(random, Math.max(1, label.classes().size()));
    int height = 4 + random.nextInt(8);
    int width = 4 + random.nextInt(8);
    int depth = 1 + random.nextInt(2);
    int numbers = kind == Kind.SERIES ? height * width : height * width * depth;
    ModelSpec.Network network =
        switch (kind) {
          case CNN ->
              new ModelSpec.Network.Cnn(height, width, depth, filters(), 1 + random.nextInt(10));
          case IMAGES -> layers.images(height, width, depth);
          default -> layers.series(height, width);
        };
    return new ModelSpec(
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", numbers, 1)),
            List.of(),
            label,
            null),
        network,
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 1e-4),
        standardize);
  }

  private List<Integer> filters() {
    List<Integer> filters = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(2); i++) {
      filters.add(1 + random.nextInt(5));
    }
    return filters;
  }

  private List<Integer> widths(int least) {
    List<Integer> widths = new ArrayList<>();
    int layers = least + random.nextInt(3);
    for (int i = 0; i < layers; i++) {
      widths.add(1 + random.nextInt(40));
    }
    return widths;
  }

  public ModelSpec spec() {
    return spec;
  }

  /** The files of the model without its rows. */
  SortedMap<String, byte[]> files() throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    try {
      FeatureScaler scaler = FeatureScaler.empty(spec).including(samples(64, false));
      files.put(ModelArtifact.SCALER_FILE, scaler.encode());
    } catch (InterruptedException stopped) {
      throw new IOException(stopped);
    }
    try (ModelNetwork network = LibraryBuilders.create(spec, seed)) {
      boolean given = spec.network() instanceof ModelSpec.Network.Dl4jJson;
      files.put(
          ModelArtifact.NETWORK_FILE,
          given ? RandomLayers.shaken(network.encode(), random) : network.encode());
    }
    if (random.nextBoolean()) {
      files.put(ModelArtifact.MIXTURE_FILE, mixture().encode());
    }
    return files;
  }

  private ServedMixture mixture() {
    double[] prior = new double[spec.outputWidth()];
    double sum = 0;
    for (int k = 0; k < prior.length; k++) {
      prior[k] = random.nextDouble();
      sum += prior[k];
    }
    for (int k = 0; k < prior.length && prior.length > 1; k++) {
      prior[k] /= sum;
    }
    double weight = random.nextDouble();
    ServedMixture plain = ServedMixture.of(weight, 1 - weight, prior);
    return spec.contextMembers() == 0
        ? plain
        : new ServedMixture(plain.experts(), expertsInContext(prior));
  }

  private List<ServedMixture.Expert> expertsInContext(double[] prior) {
    boolean classes = spec.schema().label().task() == SampleSchema.Task.CLASSIFICATION;
    double[] repeats = random.doubles(prior.length).toArray();
    double[] weights = random.doubles(ServedMixture.KINDS_IN_CONTEXT.size()).toArray();
    double sum = Arrays.stream(weights).sum();
    List<ServedMixture.Expert> experts = new ArrayList<>();
    for (int i = 0; i < weights.length; i++) {
      ServedMixture.Kind kind = ServedMixture.KINDS_IN_CONTEXT.get(i);
      double weight = weights[i] / sum;
      experts.add(
          switch (kind) {
            case PRIOR -> ServedMixture.Expert.prior(weight, prior);
            case NO_CHANGE -> ServedMixture.Expert.noChange(weight, classes ? repeats : null);
            default -> ServedMixture.Expert.network(kind, weight);
          });
    }
    return experts;
  }

  /** Publishes the model with its rows as the next version. */
  public ModelCheckpoint publish(ModelStore models, Path folder) throws IOException {
    SortedMap<String, Path> copied = new TreeMap<>();
    SortedMap<String, String> attributes = new TreeMap<>();
    if (!spec.embeddings().tables().isEmpty()) {
      Path rows = folder.resolve("rows-" + seed);
      writeRows(rows);
      copied.put(ModelManifest.ROWS_FILE, rows);
      attributes.put(ModelManifest.ROWS, ModelManifest.FULL_ROWS);
    }
    return models.claim("app", 0).publish(Drafts.of("app", 0, null, attributes, files(), copied));
  }

  /** The rows of a version's tables; none if it has none. */
  public static IdVectors rows(ModelStore models, ModelCheckpoint version, ModelSpec spec)
      throws IOException {
    if (spec.embeddings().tables().isEmpty()) {
      return IdVectors.NONE;
    }
    return ChainedRows.<Object>read(
        LoadRequest.of(models, version, null),
        EmbeddingPlans.of(spec),
        before -> Optional.empty(),
        null);
  }

  private void writeRows(Path file) throws IOException {
    EmbeddingPlan plan = EmbeddingPlans.of(spec);
    try (OutputStream out = Files.newOutputStream(file)) {
      RowFile.Writer writer = new RowFile.Writer(out, RowFile.Kind.FULL, plan.tables().size());
      for (EmbeddingPlan.Table table : plan.tables()) {
        int weights = table.layout().weights();
        writer.table(new RowFile.Table(table.name(), table.vector(), weights));
        List<Long> keys = new ArrayList<>();
        for (long key = 0; key < IDS; key++) {
          keys.add(key);
        }
        keys.sort(Comparator.comparing(table::rowKey, Long::compareUnsigned));
        for (long key : keys) {
          float[] values = new float[weights];
          for (int i = 0; i < weights; i++) {
            values[i] = (float) random.nextGaussian() / 10;
          }
          writer.row(key, values, 0);
        }
        writer.end();
      }
      writer.flush();
    }
  }

  /**
   * @param extreme whether a few values are far larger than the others
   */
  public List<Sample> samples(int count, boolean extreme) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      samples.add(sample(extreme));
    }
    return samples;
  }

  private Sample sample(boolean extreme) {
    SampleSchema schema = spec.schema();
    double[] dense = new double[schema.denseWidth()];
    for (int i = 0; i < dense.length; i++) {
      boolean wild = extreme && random.nextInt(5) == 0;
      dense[i] = random.nextGaussian() * (wild ? 1e30f : 1 + i);
    }
    int[] buckets = new int[schema.categorical().size()];
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = random.nextInt(schema.categorical().get(i).buckets());
    }
    IdLists ids = IdLists.NONE;
    if (!schema.ids().isEmpty()) {
      int more = 1 + random.nextInt(4);
      long[] keys = new long[1 + more];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = random.nextInt(IDS + 5);
      }
      ids = new IdLists(keys, new int[] {1, 1 + more});
    }
    int classes = schema.label().classes().size();
    double label = classes == 0 ? random.nextGaussian() * 7 + 3 : random.nextInt(classes);
    label = spec.loss().logLink() ? Math.abs(label) : label;
    return new Sample("", dense, buckets, ids, label).withContext(context());
  }

  /** What is known of a key; of every third event nothing is. */
  private KeyContext context() {
    int width = spec.schema().contextWidth();
    if (width == 0 || random.nextInt(3) == 0) {
      return KeyContext.NONE;
    }
    double[] values = new double[width];
    for (int i = 0; i < width; i++) {
      values[i] = random.nextInt(5) == 0 ? Double.NaN : random.nextGaussian() * 3;
    }
    return new KeyContext(7, 1, values);
  }
}
