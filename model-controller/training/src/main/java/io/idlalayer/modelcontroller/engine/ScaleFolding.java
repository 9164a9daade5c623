package io.idlalayer.modelcontroller.engine;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Changes the weights of the first and the last layers of a network so that it makes the same
 * predictions with another scaler. Predictions can differ only for numbers that one of the two
 * scalers clips. The updater's state is unchanged.
 */
public final class ScaleFolding {
  private final ModelSpec spec;

  /**
   * @param spec specification of networks whose layers that take the input are dense
   */
  public ScaleFolding(ModelSpec spec) {
    this.spec = spec;
  }

  /**
   * Returns the file of the changed network.
   *
   * @param from scaler with which the network predicts now
   * @param to scaler with which the changed network makes the same predictions
   * @throws MalformedModelException if the file has no network of the specification
   */
  public byte[] fold(byte[] file, FeatureScaler from, FeatureScaler to) throws IOException {
    try {
      StoredNetwork read = StoredNetwork.decode(spec, NetworkForm.entries(file), spec.inputWidth());
      NetworkForm form = read.form();
      NetworkForm.Values values = read.values();
      NetworkPlan plan = form.plan();
      Map<String, Integer> places = new HashMap<>();
      plan.parameters().forEach(each -> places.put(each.name(), each.from()));
      foldInput(plan, places, values.parameters(), from, to);
      if (spec.schema().label().task() == SampleSchema.Task.REGRESSION) {
        foldTarget(plan, places, values.parameters(), from, to);
      }
      return form.encode(
          values.iterations(),
          NetworkForm.numbers(values.parameters()),
          NetworkForm.numbers(values.state()));
    } catch (UncompilableException unknown) {
      throw new MalformedModelException("model.zip: " + unknown.getMessage(), unknown);
    }
  }

  private void foldInput(
      NetworkPlan plan,
      Map<String, Integer> places,
      float[] parameters,
      FeatureScaler from,
      FeatureScaler to) {
    ColumnMap inputs = ColumnMap.unchanged(spec.inputWidth());
    LayerMaps maps = new LayerMaps(plan, plan, inputs, ColumnMap.unchanged(spec.outputWidth()));
    for (NetworkPlan.Node node : plan.nodes()) {
      LayerMaps.OfLayer map = maps.of(node.layer().name());
      if (map == null) {
        continue;
      }
      int weights = places.getOrDefault(node.layer().name() + ".W", -1);
      int bias = places.getOrDefault(node.layer().name() + ".b", -1);
      int width = map.inputs().after();
      for (int output = 0; output < node.layer().outputs(); output++) {
        double added = 0;
        for (int row = 0; row < width; row++) {
          int number = map.inputColumn(row) - spec.schema().contextWidth();
          if (number < 0 || number >= spec.schema().denseWidth()) {
            continue;
          }
          FeatureScaler.Linear before = from.linear(number);
          FeatureScaler.Linear after = to.linear(number);
          int place = weights + output * width + row;
          double weight = parameters[place];
          parameters[place] = (float) (weight * before.factor() / after.factor());
          added += weight * before.factor() * (after.centre() - before.centre());
        }
        if (bias >= 0) {
          parameters[bias + output] += (float) added;
        }
      }
    }
  }

  private static void foldTarget(
      NetworkPlan plan,
      Map<String, Integer> places,
      float[] parameters,
      FeatureScaler from,
      FeatureScaler to) {
    LayerPlan.Last output = plan.output();
    FeatureScaler.Linear before = from.target().linear();
    FeatureScaler.Linear after = to.target().linear();
    int bias = places.getOrDefault(output.name() + ".b", -1);
    if (!(output instanceof LayerPlan.Output last) || bias < 0 || before.equals(after)) {
      return;
    }
    if (from.target().logLink()) {
      parameters[bias] += (float) Math.log(after.factor() / before.factor());
      return;
    }
    double factor = after.factor() / before.factor();
    int weights = places.getOrDefault(output.name() + ".W", -1);
    for (int i = 0; i < last.inputs(); i++) {
      parameters[weights + i] = (float) (parameters[weights + i] * factor);
    }
    double moved = (before.centre() - after.centre()) * after.factor();
    parameters[bias] = (float) (parameters[bias] * factor + moved);
  }
}
