package io.idlalayer.modelruntime.input;

import io.idlalayer.middleware.sample.SampleSchema;
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
 * The effect of a change of the features and classes on a network: for each column of the input and
 * for each output, which one it was before; or the reason why the network can no longer be used.
 * Immutable.
 */
public final class InputChange {
  private final ModelSpec before;
  private final ModelSpec now;
  private final SchemaChange schema;
  private final ColumnMap context;
  private final List<String> refusals;

  /**
   * Computes the change that a model needs so that it takes the features and classes of another
   * model.
   */
  public InputChange(ModelSpec before, ModelSpec now) {
    this.before = before;
    this.now = now;
    schema = SchemaChange.between(before.schema(), now.schema());
    context = SampleChange.context(schema, now.schema());
    List<String> all = new ArrayList<>(schema.refusals());
    boolean inputs =
        !schema.dense().isUnchanged()
            || !schema.oneHots().isUnchanged()
            || !schema.ids().isUnchanged();
    if (inputs) {
      refuseInputs(all);
    }
    if (!schema.classes().isUnchanged()) {
      refuseOutputs(all);
    }
    all.addAll(TableChange.refusals(before, now, schema.ids()));
    refusals = List.copyOf(all);
  }

  private void refuseInputs(List<String> refusals) {
    Network network = now.network();
    if (network instanceof Network.Cnn) {
      refusals.add("model.type: a cnn takes an image, whose pixels are its features");
    } else if (network instanceof Network.Dl4jJson || network instanceof Network.SameDiffGraph) {
      refusals.add("model.file: the network in the file fixes the number of its inputs");
    } else if (before.bins() != now.bins()) {
      refusals.add(
          String.format(
              Locale.ROOT,
              "model.members: members divide each of %d numbers into %d bins, and each of %d numbers into %d: what was learned for some bins does not hold for others",
              before.schema().denseWidth(),
              before.bins(),
              now.schema().denseWidth(),
              now.bins()));
    }
  }

  private void refuseOutputs(List<String> refusals) {
    Network network = now.network();
    if (network instanceof Network.Dl4jJson || network instanceof Network.SameDiffGraph) {
      refusals.add("model.file: the network in the file fixes the number of its outputs");
    }
  }

  /** Returns what changed of the features and classes. */
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
   * Returns, for each column of the network's input, which column it was before.
   *
   * @throws IllegalStateException if the model cannot go on
   */
  public ColumnMap columns() {
    if (!refusals.isEmpty()) {
      throw new IllegalStateException(String.join("; ", refusals));
    }
    ColumnMap encoded = schema.dense().grouped(before.bins());
    ColumnMap wide = now.wideColumns() == 0 ? ColumnMap.unchanged(0) : schema.classes();
    return context
        .then(schema.dense())
        .then(schema.oneHots())
        .then(encoded)
        .then(TableChange.vectors(before, now, schema.ids()))
        .then(wide);
  }

  /**
   * Returns, for each output of the network or of each of its members, which output it was before.
   *
   * @throws IllegalStateException if the model cannot go on
   */
  public ColumnMap outputs() {
    if (!refusals.isEmpty()) {
      throw new IllegalStateException(String.join("; ", refusals));
    }
    boolean classes = now.schema().label().task() == SampleSchema.Task.CLASSIFICATION;
    return classes ? schema.classes() : ColumnMap.unchanged(now.outputWidth());
  }

  /**
   * Returns whether the rows of tables can be used as they are: in the same tables, in the same
   * order, with the same weights.
   */
  public boolean sameRows() {
    boolean wide = before.wideColumns() > 0 || now.wideColumns() > 0;
    return before.embeddings().tables().equals(now.embeddings().tables())
        && (before.embeddings().tables().isEmpty() || !wide || schema.classes().isUnchanged());
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
