package io.idlalayer.modelruntime.input;

import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * The effect of a change of the id features on embedding tables and on the vectors in a network's
 * input. A table is known by its name.
 */
final class TableChange {
  private TableChange() {}

  /**
   * Returns why the rows of tables cannot go on, one sentence for each reason; empty if they can.
   *
   * @param ids where the id features come from
   */
  static List<String> refusals(ModelSpec before, ModelSpec now, ColumnMap ids) {
    List<String> refusals = new ArrayList<>();
    ModelSpec.Embeddings was = before.embeddings();
    ModelSpec.Embeddings is = now.embeddings();
    for (int i = 0; i < ids.after(); i++) {
      int source = ids.source(i);
      ModelSpec.Use use = is.uses().get(i);
      if (source == ColumnMap.ADDED) {
        if (now.wideColumns() > 0 && dims(was).containsKey(is.table(use).name())) {
          refusals.add(
              String.format(
                  Locale.ROOT,
                  "embeddings.tables: %s is new, and the rows of the table %s have wide parts,"
                      + " which would change predictions at once; give it a table of its own",
                  now.schema().ids().get(i).name(),
                  is.table(use).name()));
        }
        continue;
      }
      ModelSpec.Use used = was.uses().get(source);
      IdFeature feature = now.schema().ids().get(i);
      String tableNow = is.table(use).name();
      String tableBefore = was.table(used).name();
      if (!tableNow.equals(tableBefore)) {
        refusals.add(
            String.format(
                Locale.ROOT,
                "embeddings.tables: %s has the table %s, and had %s, where the rows of its ids are",
                feature.name(),
                tableNow,
                tableBefore));
      }
      if (use.pooling() != used.pooling() && before.schema().ids().get(source).mostIds() > 1) {
        refusals.add(
            String.format(
                Locale.ROOT,
                "embeddings.pooling: the vectors of %s would be pooled in another way than that for which they were learned",
                feature.name()));
      }
    }
    Map<String, Integer> dims = dims(was);
    is.tables()
        .forEach(
            table -> {
              int dim = dims.getOrDefault(table.name(), table.dim());
              if (dim != table.dim()) {
                refusals.add(
                    String.format(
                        Locale.ROOT,
                        "embeddings.tables: dim of %s: %d before, %d now: the learned rows have vectors of the former length",
                        table.name(),
                        dim,
                        table.dim()));
              }
            });
    boolean both = !was.tables().isEmpty() && !is.tables().isEmpty();
    if (both && was.fit().updater() != is.fit().updater()) {
      refusals.add("embeddings.updater: the learned rows have the state of the former updater");
    }
    return refusals;
  }

  private static Map<String, Integer> dims(ModelSpec.Embeddings embeddings) {
    Map<String, Integer> dims = new LinkedHashMap<>();
    embeddings.tables().forEach(table -> dims.put(table.name(), table.dim()));
    return dims;
  }

  /** Returns, for each column of the vectors of id features, which column it was before. */
  static ColumnMap vectors(ModelSpec before, ModelSpec now, ColumnMap ids) {
    int[] from = starts(before.embeddings());
    ToIntFunction<ModelSpec.Use> dim = use -> now.embeddings().table(use).dim();
    int[] sources = new int[now.embeddings().uses().stream().mapToInt(dim).sum()];
    Arrays.fill(sources, ColumnMap.ADDED);
    int at = 0;
    for (int i = 0; i < ids.after(); i++) {
      int width = dim.applyAsInt(now.embeddings().uses().get(i));
      for (int k = 0; k < width && ids.source(i) != ColumnMap.ADDED; k++) {
        sources[at + k] = from[ids.source(i)] + k;
      }
      at += width;
    }
    return new ColumnMap(from[from.length - 1], sources);
  }

  /** Returns the first column of each feature's vector, and the number of all columns. */
  private static int[] starts(ModelSpec.Embeddings embeddings) {
    int[] starts = new int[embeddings.uses().size() + 1];
    for (int i = 0; i + 1 < starts.length; i++) {
      starts[i + 1] = starts[i] + embeddings.table(embeddings.uses().get(i)).dim();
    }
    return starts;
  }
}
