package io.idlalayer.sql;

import org.apache.flink.table.functions.PredictFunction;
import org.apache.flink.table.ml.ModelProvider;
import org.apache.flink.table.ml.PredictRuntimeProvider;

/**
 * The description of a model in a query: the store with its versions, its input columns and its
 * output columns.
 */
record IdlaModelProvider(ModelOptions options, FeatureColumns inputs, OutputColumns outputs)
    implements PredictRuntimeProvider {
  @Override
  public PredictFunction createPredictFunction(Context context) {
    return new IdlaPredictFunction(options, inputs, outputs);
  }

  @Override
  public ModelProvider copy() {
    return this;
  }
}
