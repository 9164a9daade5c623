package io.idlalayer.jobs.settings.mixing;

import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The embedding table of a mixed model whose rows are in the partitions that use them. Every
 * partition uses the rows of all other tables, which are mixed like parameters.
 *
 * @param feature index of the id feature by whose ids events are assigned to partitions
 * @param table index of the table that the feature uses
 * @param ranges ranges of keys, which determine the partition that has the row of an id
 */
public record PartitionedTable(int feature, int table, KeyRanges ranges) {
  /** Key of the id feature, below {@code mixing}. */
  public static final String KEY = "partition-by";

  /**
   * Largest number of bytes of the weights of the other tables together. It is limited because each
   * contribution and each version contains all these weights.
   */
  public static final long MOST_OTHER_BYTES = 16 << 20;

  /**
   * Largest number of bytes of the weights and uses of the other tables' rows in the mixer's state,
   * which contains them once for each partition.
   */
  public static final long MOST_KEPT_BYTES = 512 << 20;

  private static final double MIB = 1 << 20;

  /**
   * Returns the table; empty if events are not assigned to partitions by an id feature.
   *
   * @param spec a specification with which {@link #problems} has found nothing
   */
  public static Optional<PartitionedTable> of(
      MixingSettings mixing, ModelSpec spec, int partitions) {
    String name = mixing.partitionBy();
    if (name == null) {
      return Optional.empty();
    }
    int feature = indexOf(name, spec.schema());
    ModelSpec.Embeddings tables = spec.embeddings();
    int table = tables.uses().get(feature).table();
    KeyRanges ranges = KeyRanges.ofTable(tables.tables().get(table).name(), partitions);
    return Optional.of(new PartitionedTable(feature, table, ranges));
  }

  /** Returns the indexes of the tables whose rows every partition uses, ascending. */
  public List<Integer> others(ModelSpec spec) {
    return IntStream.range(0, spec.embeddings().tables().size())
        .filter(each -> each != table)
        .boxed()
        .toList();
  }

  private static int indexOf(String name, SampleSchema schema) {
    for (int i = 0; i < schema.ids().size(); i++) {
      if (schema.ids().get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns all reasons why a mixed model cannot have its tables, one sentence each; empty if there
   * are no reasons, or if the model has no tables.
   *
   * @param mixing settings that are on
   * @param partitions number of partitions of the application
   */
  public static List<String> problems(MixingSettings mixing, ModelSpec spec, int partitions) {
    SampleSchema schema = spec.schema();
    String name = mixing.partitionBy();
    if (name == null) {
      return schema.ids().isEmpty()
          ? List.of()
          : List.of(
              "says nothing; a model with an embedding table is mixed only if events are sent by"
                  + " the id of the table: name the id feature, or leave mixing out");
    }
    int feature = indexOf(name, schema);
    List<String> names = schema.ids().stream().map(SampleSchema.IdFeature::name).toList();
    if (feature < 0) {
      return List.of("'%s' is none of 'input.ids', which are %s".formatted(name, names));
    }
    List<String> problems = new ArrayList<>();
    if (schema.ids().get(feature).mostIds() > 1) {
      problems.add(
          "'%s' may have several ids, whose rows may lie in several partitions: say 'at-most: 1'"
              .formatted(name));
    }
    problems.addAll(problemsOfOthers(feature, spec, partitions));
    if (schema.id() != null) {
      problems.add(
          "events are sent by '%s', and what comes later for an event, such as its label, is sent by 'input.id' to another partition: leave 'input.id' out, or mixing"
              .formatted(name));
    }
    return problems;
  }

  /** Returns the reasons why the tables of other features cannot be mixed. */
  private static List<String> problemsOfOthers(int feature, ModelSpec spec, int partitions) {
    ModelSpec.Embeddings embeddings = spec.embeddings();
    List<SampleSchema.IdFeature> ids = spec.schema().ids();
    int own = embeddings.uses().get(feature).table();
    List<String> problems = new ArrayList<>();
    SortedSet<Integer> others = new TreeSet<>();
    for (int i = 0; i < ids.size(); i++) {
      int table = embeddings.uses().get(i).table();
      if (i != feature && table == own) {
        problems.add(
            "'%1$s' uses the table of '%2$s', whose rows lie in the partitions of the ids of '%2$s': give '%1$s' a table of its own in 'embeddings.tables'"
                .formatted(ids.get(i).name(), ids.get(feature).name()));
      } else if (i != feature) {
        others.add(table);
      }
    }
    double bytes = 0;
    double uses = 0;
    for (int table : others) {
      String name = embeddings.tables().get(table).name();
      RowIndex index = spec.rowIndex(table);
      if (index.fixed()) {
        int weights = spec.rowWeights(embeddings.tables().get(table));
        double rows = (double) index.rows() + RowIndex.OWN_ROWS;
        bytes += rows * weights * Float.BYTES;
        uses += rows * Integer.BYTES;
      } else {
        problems.add(
            "every partition uses the rows of table '%s', which are mixed only if their number is fixed: say its 'rows' in 'embeddings.tables'"
                .formatted(name));
      }
    }
    if (bytes > MOST_OTHER_BYTES) {
      problems.add(
          String.format(
              Locale.ROOT,
              "the weights of the rows that every partition uses take %,.0f MiB, and each version has all of them: at most %,.0f MiB can be mixed, lower 'rows' in 'embeddings.tables'",
              Math.ceil(bytes / MIB),
              MOST_OTHER_BYTES / MIB));
    }
    double kept = partitions * (bytes + uses);
    if (kept > MOST_KEPT_BYTES) {
      problems.add(
          String.format(
              Locale.ROOT,
              "the mixer keeps the weights and uses of the rows that every partition uses once for each partition; %d times %,.1f MiB are %,.0f MiB, but it can keep at most %,.0f MiB: lower 'rows' in 'embeddings.tables' or 'partitions'",
              partitions,
              (bytes + uses) / MIB,
              Math.ceil(kept / MIB),
              MOST_KEPT_BYTES / MIB));
    }
    return problems;
  }
}
