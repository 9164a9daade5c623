package io.idlalayer.modelloader.onnx;

import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.onnx.file.OnnxTensor;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes the tables of a model as arrays of an ONNX file, and the nodes that look up the rows of
 * ids. An array has a row for each row number of its table, then the row for unknown ids and the
 * row for missing ids. A row number that has no row yet gets the row for unknown ids.
 */
final class OnnxIds {
  private final OnnxGraph graph;
  private final EmbeddingPlan plan;
  private final IdVectors rows;
  private final Map<Integer, Names> arrays = new HashMap<>();

  /**
   * The names of the arrays of a table.
   *
   * @param wide "" if rows have no wide part
   */
  private record Names(String vectors, String wide) {}

  OnnxIds(OnnxGraph graph, ModelSpec spec, IdVectors rows) {
    this.graph = graph;
    this.rows = rows;
    plan = EmbeddingPlans.of(spec);
  }

  /**
   * Checks whether the tables of a model can be written.
   *
   * @param largestBytes limit of all arrays together
   * @throws UnsupportedModelException if they cannot be written; the message names the table or
   *     feature
   */
  static void check(ModelSpec spec, long largestBytes) throws UnsupportedModelException {
    for (SampleSchema.IdFeature each : spec.schema().ids()) {
      if (each.mostIds() > 1) {
        throw new UnsupportedModelException(
            "a model with lists of ids (%s)".formatted(each.name()));
      }
    }
    long bytes = 0;
    for (EmbeddingPlan.Table each : EmbeddingPlans.of(spec).tables()) {
      if (!each.index().fixed()) {
        throw new UnsupportedModelException(
            "a model with open tables (%s; a table with 'rows' has a fixed size)"
                .formatted(each.name()));
      }
      bytes += (long) Float.BYTES * each.layout().weights() * rows(each.index());
    }
    if (bytes > largestBytes) {
      throw new UnsupportedModelException(
          String.format(
              Locale.ROOT,
              "a model whose tables have %,d bytes (%,d at most)",
              bytes,
              largestBytes));
    }
  }

  private static long rows(RowIndex index) {
    return (long) index.rows() + OnnxModel.OTHER_ROWS;
  }

  /** Adds the input of the ids, and returns the columns that their rows fill. */
  List<String> columns() {
    int features = plan.features().size();
    graph.input(OnnxModel.IDS, OnnxTensor.INT64, features);
    List<String> parts = new ArrayList<>();
    List<String> wide = new ArrayList<>();
    for (int f = 0; f < features; f++) {
      int feature = f;
      Names table =
          arrays.computeIfAbsent(plan.features().get(f).table(), number -> table(number, feature));
      String ids =
          graph.node(
              "Gather",
              List.of(OnnxModel.IDS, graph.scalar((long) f)),
              OnnxGraph.integer("axis", 1));
      parts.add(graph.node("Gather", List.of(table.vectors(), ids)));
      if (!table.wide().isEmpty()) {
        wide.add(graph.node("Gather", List.of(table.wide(), ids)));
      }
    }
    if (!wide.isEmpty()) {
      parts.add(graph.node("Sum", wide));
    }
    return parts;
  }

  /**
   * @param feature a feature whose ids the table serves
   */
  private Names table(int number, int feature) {
    EmbeddingPlan.Table table = plan.tables().get(number);
    int count = (int) rows(table.index());
    int wide = table.wide();
    float[] vectors = new float[Math.multiplyExact(count, table.vector())];
    float[] wides = new float[Math.multiplyExact(count, wide)];
    float[] columns = new float[plan.width()];
    int[] ends = new int[plan.features().size()];
    Arrays.fill(ends, feature, ends.length, 1);
    for (int i = 0; i < count; i++) {
      int behind = i - table.index().rows();
      long key = behind < 0 ? i + IdLists.UNKNOWN + 1 : IdLists.UNKNOWN - behind;
      Arrays.fill(columns, 0);
      rows.fill(new IdLists(new long[] {key}, ends), columns, 0);
      int from = plan.features().get(feature).from();
      System.arraycopy(columns, from, vectors, i * table.vector(), table.vector());
      System.arraycopy(columns, plan.wideFrom(), wides, i * wide, wide);
    }
    return new Names(
        graph.floats(vectors, count, table.vector()),
        wide == 0 ? "" : graph.floats(wides, count, wide));
  }
}
