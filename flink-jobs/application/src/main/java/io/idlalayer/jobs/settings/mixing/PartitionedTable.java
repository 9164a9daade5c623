package io.idlalayer.jobs.settings.mixing;

import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The one embedding table of a mixed model, whose rows lie in the partitions that use them.
 *
 * @param feature index of the id feature by whose ids events are sent
 * @param ranges which partition has the row of an id
 */
public record PartitionedTable(int feature, KeyRanges ranges) {
  /** Key of the id feature, below {@code mixing}. */
  public static final String KEY = "partition-by";

  /**
   * Returns the table; empty if events are not sent by an id.
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
    String table = tables.tables().get(tables.uses().get(feature).table()).name();
    return Optional.of(new PartitionedTable(feature, KeyRanges.ofTable(table, partitions)));
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
   * Returns all that keeps a mixed model from having tables, one sentence each; empty if the model
   * has no tables and needs none.
   *
   * @param mixing settings that are on
   */
  public static List<String> problems(MixingSettings mixing, SampleSchema schema) {
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
    if (names.size() > 1) {
      List<String> others = new ArrayList<>(names);
      others.remove(name);
      problems.add(
          "the rows of %s are used in every partition, and such rows are not mixed: leave them out of 'input.ids', or mixing"
              .formatted(others));
    }
    if (schema.id() != null) {
      problems.add(
          "events are sent by '%s', and what comes later for an event, such as its label, is sent by 'input.id' to another partition: leave 'input.id' out, or mixing"
              .formatted(name));
    }
    return problems;
  }
}
