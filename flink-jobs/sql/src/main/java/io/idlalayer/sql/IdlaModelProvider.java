package io.idlalayer.sql;

import org.apache.flink.table.functions.PredictFunction;
import org.apache.flink.table.ml.ModelProvider;
import org.apache.flink.table.ml.PredictRuntimeProvider;

/** A model of a query: where its versions are, what they are given and what they give. */
record IdlaModelProvider(ModelOptions options, InputColumns inputs, OutputColumns outputs)
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
