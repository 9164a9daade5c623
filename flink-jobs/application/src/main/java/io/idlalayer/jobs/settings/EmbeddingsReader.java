package io.idlalayer.jobs.settings;

import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.NearWord;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.nodes.Node;

/**
 * Reads the settings of embedding tables: the sections {@code embeddings} and {@code memory.rows}.
 * Call the methods in the order in which they are declared.
 */
final class EmbeddingsReader {
  private static final String KEY = "embeddings";
  private static final int DIM = 16;
  private static final int DIM_MAX = 1024;
  private static final IdPooling POOLING = IdPooling.MEAN;
  private static final double LEARNING_RATE = 0.05;
  private static final double INITIAL_SCALE = 0.01;
  private static final String SLOW_BYTES = "slow-bytes";
  private static final long LEAST_SLOW_BYTES = 1 << 20;
  private static final String ADMIT_AFTER = "admit-after";
  private static final String COUNTER = "admission-counter";
  private static final int EXPECTED_IDS_MAX = 2_000_000_000;
  private static final double LEAST_WRONG = 1e-6;
  private static final int ADMIT_AFTER_MAX = 1_000_000;
  private static final int MOST_TABLES = 65_535;
  private static final int MOST_ROWS_MAX = 500_000_000;
  private static final long LEAST_FAST_BYTES = 64 << 10;
  private static final String BELOW = "below";
  private static final String UNUSED_FOR = "unused-for";
  private static final double UNUSED_FOR_SECONDS = 86_400;
  private static final double LARGEST_NORM = 1_000_000;
  private static final String MOST_ROWS = "most-rows";
  private static final String UNUSED_AFTER = "expire-unused-after";
  private static final String EXPIRE_RARE = "expire-rare";
  private static final String EXPIRE_SMALL = "expire-small";
  private static final String ROWS = "rows";
  private static final String INDEX = "index";
  private static final RowIndex.Kind[] INDEXES = {RowIndex.Kind.HASH, RowIndex.Kind.NUMBER};
  private static final int SHOWN_TABLES = 5;

  /** The condition under which most settings of tables take effect, in the words of messages. */
  private static final String OPEN_TABLE = "a table without 'rows'";

  private final Section root;
  private final Section section;
  private final SampleSchema plain;
  private final List<SampleSchema.IdFeature> features;
  private List<RowIndex> indexes = List.of();

  /**
   * @param schema schema; its id features do not yet name the index by which they find their rows
   */
  EmbeddingsReader(Section root, SampleSchema schema) {
    this.root = root;
    section = root.section(KEY);
    plain = schema;
    features = schema.ids();
  }

  /**
   * Reads the tables, and the features that use them.
   *
   * @param oneDim whether the network needs tables that all have the same dimension
   */
  ModelSpec.Embeddings read(boolean oneDim) {
    if (features.isEmpty()) {
      if (root.has(KEY)) {
        root.problem(KEY, "has no effect without id features ('input.ids')");
      }
      return ModelSpec.Embeddings.NONE;
    }
    if (!root.has(KEY)) {
      root.problem(
          KEY, "is missing: id features need tables, for instance {dim: %d}".formatted(DIM));
    }
    int dim = section.integer("dim", DIM, 1, DIM_MAX);
    ModelSpec.RowFit fit =
        new ModelSpec.RowFit(
            section.choice("updater", RowUpdater.ADAGRAD, RowUpdater.values()),
            section.number("learning-rate", LEARNING_RATE, 0, false, 100),
            section.number("initial-scale", INITIAL_SCALE, 0, true, 100));
    IdPooling pooling = section.choice("pooling", POOLING, IdPooling.values());
    if (features.stream().allMatch(feature -> feature.mostIds() == 1)) {
      section.idle("pooling", pooling, POOLING, "an id feature of several ids ('at-most' above 1)");
    }
    ModelSpec.Embeddings embeddings = new Tables(dim, pooling).read(fit);
    if (oneDim
        && embeddings.tables().stream().mapToInt(ModelSpec.Table::dim).distinct().count() > 1) {
      section.problem(
          "tables",
          "'model.type: dlrm' needs tables of the same dim; they have "
              + embeddings.tables().stream()
                  .map(table -> Integer.toString(table.dim()))
                  .distinct()
                  .collect(Collectors.joining(", ")));
    }
    return embeddings;
  }

  /** Returns the schema, with id features that use the tables that were read. */
  SampleSchema schema() {
    List<SampleSchema.IdFeature> ids = new ArrayList<>();
    for (int i = 0; i < indexes.size(); i++) {
      ids.add(
          new SampleSchema.IdFeature(
              features.get(i).name(), features.get(i).mostIds(), indexes.get(i)));
    }
    return plain.withIds(ids);
  }

  /** The tables that were read so far. */
  private final class Tables {
    private final int dim;
    private final IdPooling pooling;
    private final List<ModelSpec.Table> tables = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private final Map<String, ModelSpec.Use> uses = new HashMap<>();
    private final List<RowIndex> indexOfTable = new ArrayList<>();

    Tables(int dim, IdPooling pooling) {
      this.dim = dim;
      this.pooling = pooling;
    }

    ModelSpec.Embeddings read(ModelSpec.RowFit fit) {
      for (Node node : section.elements("tables")) {
        listed(section.element("tables", node));
      }
      List<ModelSpec.Use> inOrder = new ArrayList<>();
      for (SampleSchema.IdFeature feature : features) {
        ModelSpec.Use use = uses.get(feature.name());
        inOrder.add(use == null ? own(feature.name()) : use);
      }
      indexes = inOrder.stream().map(use -> indexOfTable.get(use.table())).toList();
      if (tables.size() > MOST_TABLES) {
        section.problem(
            "tables", "%,d are too many; at most %,d".formatted(tables.size(), MOST_TABLES));
      }
      return new ModelSpec.Embeddings(tables, inOrder, fit);
    }

    private void listed(Section table) {
      String name = table.required("name");
      if (!name.isEmpty() && !names.add(name)) {
        table.problem("name", table.shown(name) + " is the name of two tables");
      }
      ModelSpec.Use use =
          new ModelSpec.Use(tables.size(), table.choice("pooling", pooling, IdPooling.values()));
      tables.add(new ModelSpec.Table(name, table.integer("dim", dim, 1, DIM_MAX)));
      indexOfTable.add(index(table));
      List<String> users = table.names("features");
      if (users.isEmpty()) {
        table.problem("features", "name at least one of 'input.ids'");
      }
      for (String user : users) {
        use(table, user, use);
      }
      table.finish();
    }

    private RowIndex index(Section table) {
      int rows = table.integer(ROWS, 0, 1, RowIndex.MOST_ROWS);
      RowIndex.Kind kind = table.choice(INDEX, RowIndex.Kind.HASH, INDEXES);
      if (rows > 0) {
        return new RowIndex(kind, rows);
      }
      if (table.has(ROWS) && !table.given(ROWS)) {
        table.problem(ROWS, "has no value");
      } else if (table.has(INDEX) && !table.has(ROWS)) {
        table.problem(INDEX, "takes effect with 'rows' only: how many rows the table has");
      }
      return RowIndex.OPEN;
    }

    private void use(Section table, String user, ModelSpec.Use use) {
      Set<String> known =
          features.stream().map(SampleSchema.IdFeature::name).collect(Collectors.toSet());
      if (!known.contains(user)) {
        String near = NearWord.of(user, known);
        table.problem(
            "features",
            "%s is none of 'input.ids'%s"
                .formatted(
                    table.shown(user),
                    near.isEmpty() ? "" : "; did you mean " + table.shown(near) + "?"));
      } else if (uses.putIfAbsent(user, use) != null) {
        table.problem("features", table.shown(user) + " is listed twice");
      }
    }

    /** Adds a table for a feature that no table lists, and returns the feature's use of it. */
    private ModelSpec.Use own(String feature) {
      if (!names.add(feature)) {
        section.problem(
            "tables",
            "feature %s is in no table, although a table has its name: list the feature in that table"
                .formatted(section.shown(feature)));
      }
      tables.add(new ModelSpec.Table(feature, dim));
      indexOfTable.add(RowIndex.OPEN);
      return new ModelSpec.Use(tables.size() - 1, pooling);
    }
  }

  /**
   * Reads the limits of the tables' rows from {@code memory.rows}.
   *
   * @param spec specification of the model that has the tables
   */
  RowSettings rows(Section memory, ModelSpec spec) {
    RowSettings defaults = RowSettings.DEFAULT;
    long fastBytes =
        memory.bytes(
            "fast-bytes",
            defaults.fastBytes(),
            LEAST_FAST_BYTES,
            ApplicationFileReader.MOST_MEMORY_BYTES);
    long slowBytes = memory.bytes(SLOW_BYTES, defaults.slowBytes(), LEAST_SLOW_BYTES);
    RowPolicyName policy = memory.choice("policy", defaults.policy(), RowPolicyName.values());
    memory.finish();
    if (features.isEmpty()) {
      String needs = "id features ('input.ids')";
      memory.idle("policy", policy, defaults.policy(), needs);
      memory.idle(SLOW_BYTES, slowBytes, defaults.slowBytes(), needs);
      memory.idle("fast-bytes", fastBytes, defaults.fastBytes(), needs);
      return defaults;
    }
    checkFixed(memory, slowBytes, EmbeddingPlans.of(spec).tables());
    Admission admission = admission();
    int mostRows = section.integer(MOST_ROWS, (int) defaults.mostRows(), 1, MOST_ROWS_MAX);
    Expiry expiry = expiry(admission.after());
    if (indexes.stream().allMatch(RowIndex::fixed)) {
      checkIdle(admission, mostRows, expiry);
    }
    section.finish();
    return new RowSettings(fastBytes, slowBytes, policy, admission, mostRows, expiry);
  }

  /**
   * Checks that {@code memory.rows} has space for all rows of tables of fixed size, because these
   * tables can use all their rows at any time.
   */
  private static void checkFixed(Section memory, long slowBytes, List<EmbeddingPlan.Table> tables) {
    List<EmbeddingPlan.Table> fixed =
        tables.stream()
            .filter(table -> table.index().fixed())
            .sorted(Comparator.comparingLong(RowTables::fixedBytes).reversed())
            .toList();
    long bytes = fixed.stream().mapToLong(RowTables::fixedBytes).sum();
    if (bytes <= slowBytes) {
      return;
    }
    String largest =
        fixed.stream()
            .limit(SHOWN_TABLES)
            .map(
                table ->
                    "'%s' %,d for %,d rows"
                        .formatted(table.name(), RowTables.fixedBytes(table), table.index().rows()))
            .collect(Collectors.joining(", "));
    int more = fixed.size() - SHOWN_TABLES;
    memory.problem(
        SLOW_BYTES,
        "is %,d bytes, and tables with 'rows' may need %,d: %s%s"
            .formatted(slowBytes, bytes, largest, more > 0 ? " and %,d more".formatted(more) : ""));
  }

  /**
   * Reports settings that have an effect only on open tables (tables without a fixed number of
   * rows), if there is no open table.
   */
  private void checkIdle(Admission admission, int mostRows, Expiry expiry) {
    Admission all = Admission.ALL;
    section.idle(ADMIT_AFTER, admission.after(), all.after(), OPEN_TABLE);
    section.idle(MOST_ROWS, (long) mostRows, RowSettings.DEFAULT.mostRows(), OPEN_TABLE);
    section.idle(UNUSED_AFTER, expiry.unusedSeconds(), Expiry.NEVER.unusedSeconds(), OPEN_TABLE);
    section.idle(EXPIRE_RARE, expiry.rare(), Expiry.Bound.NONE, OPEN_TABLE);
    section.idle(EXPIRE_SMALL, expiry.small(), Expiry.Bound.NONE, OPEN_TABLE);
  }

  private Admission admission() {
    Admission all = Admission.ALL;
    int after = section.integer(ADMIT_AFTER, all.after(), 1, ADMIT_AFTER_MAX);
    Admission.Counter counter = section.choice(COUNTER, all.counter(), Admission.Counter.values());
    long ids =
        section.integer("expected-ids", (int) all.bloom().expectedIds(), 1_000, EXPECTED_IDS_MAX);
    double wrong =
        section.number("false-admissions", all.bloom().falseAdmissions(), LEAST_WRONG, true, 0.5);
    if (after == 1) {
      section.idle(COUNTER, counter, all.counter(), "'admit-after' above 1");
    }
    if (counter == Admission.Counter.BLOOM && after > Admission.BLOOM_MOST) {
      section.problem(
          ADMIT_AFTER,
          "a Bloom filter counts up to %d; with 'admission-counter: both' there may be more"
              .formatted(Admission.BLOOM_MOST));
    }
    if (counter == Admission.Counter.EXACT) {
      String needs = "'admission-counter' bloom or both";
      section.idle("expected-ids", ids, all.bloom().expectedIds(), needs);
      section.idle("false-admissions", wrong, all.bloom().falseAdmissions(), needs);
    }
    return new Admission(after, counter, new Admission.Bloom(ids, wrong));
  }

  private Expiry expiry(int admitAfter) {
    double unused = section.seconds(UNUSED_AFTER, Expiry.NEVER.unusedSeconds());
    Section rarely = section.section(EXPIRE_RARE);
    int times = rarely.integer(BELOW, 0, 0, Integer.MAX_VALUE);
    if (times > 0 && times <= admitAfter) {
      rarely.problem(
          BELOW,
          "%d is not above 'admit-after' (%d), but the id of every row has come at least that often: give a larger number"
              .formatted(times, admitAfter));
    }
    Expiry.Bound rare = bound(rarely, times, unused);
    Section little = section.section(EXPIRE_SMALL);
    Expiry.Bound small = bound(little, little.number(BELOW, 0, 0, true, LARGEST_NORM), unused);
    return new Expiry(unused, rare, small);
  }

  /**
   * Reads a bound on rows: a row below it is deleted after some seconds without use.
   *
   * @param unused seconds after which any row is deleted, 0 for never
   */
  private static Expiry.Bound bound(Section section, double below, double unused) {
    double seconds = section.seconds(UNUSED_FOR, UNUSED_FOR_SECONDS);
    if (below == 0) {
      section.idle(UNUSED_FOR, seconds, UNUSED_FOR_SECONDS, "'below' above 0");
    } else if (unused > 0 && seconds >= unused) {
      section.problem(
          UNUSED_FOR,
          "is not below 'expire-unused-after', which deletes these rows anyway; the default is 1d");
    }
    section.finish();
    return below == 0 ? Expiry.Bound.NONE : new Expiry.Bound(below, seconds);
  }
}
