package io.idlalayer.modelruntime.input;

import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.SampleChange;
import io.idlalayer.middleware.sample.change.SchemaChange;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpec.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a change of the features does to the input of a network: which column each column was
 * before, or why the network cannot go on. Immutable.
 */
public final class InputChange {
  private final ModelSpec before;
  private final SchemaChange schema;
  private final ColumnMap context;
  private final List<String> refusals;

  /** What must happen to the input of a model so that it takes the features of another one. */
  public InputChange(ModelSpec before, ModelSpec now) {
    this.before = before;
    schema = SchemaChange.between(before.schema(), now.schema());
    context = SampleChange.context(schema, now.schema());
    List<String> all = new ArrayList<>(schema.refusals());
    if (!schema.dense().isUnchanged() || !schema.oneHots().isUnchanged()) {
      refuse(now, all);
    }
    refusals = List.copyOf(all);
  }

  private void refuse(ModelSpec now, List<String> refusals) {
    Network network = now.network();
    if (network instanceof Network.Cnn) {
      refusals.add("model.type: a cnn takes an image, whose pixels are its features");
    } else if (network instanceof Network.Dl4jJson || network instanceof Network.SameDiffGraph) {
      refusals.add("model.file: the network in the file fixes the number of its inputs");
    } else if (before.bins() != now.bins()) {
      refusals.add(
          String.format(
              Locale.ROOT,
              "model.members: members take %d numbers in %d bins each, and %d numbers in %d: what was"
                  + " learned of some bins does not hold for others",
              before.schema().denseWidth(),
              before.bins(),
              now.schema().denseWidth(),
              now.bins()));
    }
  }

  /** Returns what changed of the features. */
  public SchemaChange schema() {
    return schema;
  }

  /** Returns where the values of contexts come from. */
  public ColumnMap context() {
    return context;
  }

  /**
   * Returns why the model cannot go on, one sentence for each reason, which begins with a key of
   * the application file; empty if it can.
   */
  public List<String> refusals() {
    return refusals;
  }

  /**
   * Returns where the columns of the network's input come from.
   *
   * @throws IllegalStateException if the model cannot go on
   */
  public ColumnMap columns() {
    if (!refusals.isEmpty()) {
      throw new IllegalStateException(String.join("; ", refusals));
    }
    ColumnMap encoded = schema.dense().grouped(before.bins());
    int vectors = before.inputWidth() - before.vectorColumns() - before.encodedColumns();
    return context
        .then(schema.dense())
        .then(schema.oneHots())
        .then(encoded)
        .then(ColumnMap.unchanged(vectors));
  }

  /**
   * Returns what the network receives before the change from a sample of which every feature is
   * missing: the mean of numbers, the bucket of missing values, no context and no vectors.
   *
   * @param scaler scaler of the model before the change
   */
  public float[] missing(FeatureScaler scaler) {
    float[] row = new float[before.inputWidth()];
    int at = before.schema().contextWidth();
    int width = before.schema().denseWidth();
    for (int i = 0; i < width; i++) {
      row[at++] = (float) scaler.missing(i);
    }
    for (var feature : before.schema().categorical()) {
      row[at] = 1;
      at += feature.buckets();
    }
    for (int i = 0; i < width && before.bins() > 0; i++) {
      scaler.encoding().encode(i, scaler.mean(i), row, at);
    }
    return row;
  }
}
