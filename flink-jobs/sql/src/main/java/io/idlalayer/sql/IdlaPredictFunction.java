package io.idlalayer.sql;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.PredictFunction;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.jspecify.annotations.Nullable;

/**
 * The function of Flink SQL that predicts a row with the version in service, in plain Java. Each
 * row is predicted by one version. Rows with values that no model accepts have no prediction. Flink
 * calls it from one thread.
 */
public final class IdlaPredictFunction extends PredictFunction implements SpecializedFunction {
  private static final long serialVersionUID = 1L;

  private final ModelOptions options;
  private final FeatureColumns inputs;

  /** The columns with the types of the values that the query passes. */
  private final FeatureColumns given;

  private final OutputColumns outputs;
  private transient @Nullable SharedModel model;
  private transient @Nullable SampleSchema schema;
  private transient FeatureColumns.@Nullable Reader reader;
  private transient Counter unanswered = new SimpleCounter();

  IdlaPredictFunction(ModelOptions options, FeatureColumns inputs, OutputColumns outputs) {
    this(options, inputs, inputs, outputs);
  }

  private IdlaPredictFunction(
      ModelOptions options, FeatureColumns inputs, FeatureColumns given, OutputColumns outputs) {
    this.options = options;
    this.inputs = inputs;
    this.given = given;
    this.outputs = outputs;
  }

  /**
   * Returns the function for the types of a query's columns; Flink calls it when it plans the
   * query.
   *
   * @throws org.apache.flink.table.api.ValidationException if a type cannot be cast
   */
  @Override
  public UserDefinedFunction specialize(SpecializedContext context) {
    List<LogicalType> types =
        context.getCallContext().getArgumentDataTypes().stream()
            .map(DataType::getLogicalType)
            .toList();
    return new IdlaPredictFunction(options, inputs, inputs.given(types), outputs);
  }

  @Override
  public void open(FunctionContext context) throws IOException, InterruptedException {
    SharedModel opened = SharedModel.open(new IdlaModelProvider(options, inputs, outputs));
    model = opened;
    MetricGroup metrics = context.getMetricGroup().addGroup("idlalayer", options.application());
    unanswered = metrics.counter("unansweredRows");
    metrics.gauge(
        "modelVersion",
        () -> opened.subscriber().current().map(it -> it.manifest().version()).orElse(0L));
    metrics.gauge("modelStalenessMillis", () -> opened.subscriber().status().stalenessMillis());
  }

  @Override
  public Collection<RowData> predict(RowData row) {
    SharedModel opened = model;
    if (opened == null) {
      throw new IllegalStateException("the function is not open");
    }
    try (ModelLease<PlainModel> lease = opened.subscriber().acquire()) {
      ModelCheckpoint checkpoint = lease.checkpoint();
      SampleSchema taken = lease.model().spec().schema();
      OutputColumns.Origin origin =
          new OutputColumns.Origin(
              taken.label(), lease.version(), checkpoint.manifest().createdAtMillis());
      Sample sample = reader(taken).read(row);
      double[] answer = sample == null ? null : lease.model().predict(sample);
      if (answer == null || Predictor.firstNotFinite(answer) >= 0) {
        unanswered.inc();
        return List.of(outputs.unknown(origin));
      }
      return List.of(outputs.row(answer, origin));
    }
  }

  /**
   * Returns the reader of rows for a model's schema; it is created again only if the schema
   * changed. Versions of one application have equal schemas, unless the application was started
   * over.
   */
  private FeatureColumns.Reader reader(SampleSchema taken) {
    FeatureColumns.Reader known = reader;
    if (known == null || !taken.equals(schema)) {
      known = given.reader(taken);
      reader = known;
      schema = taken;
    }
    return known;
  }

  @Override
  public void close() {
    SharedModel opened = model;
    model = null;
    if (opened != null) {
      opened.close();
    }
  }
}
