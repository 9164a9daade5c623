package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelruntime.function.SharedSlopes;

/** Reads Deeplearning4j's rectifiers with learned slopes. */
final class RectifierReader {
  private static final String SHAPE = "inputShape";
  private static final String SHARED = "sharedAxes";

  private RectifierReader() {}

  static LayerPlanReader.Read read(String name, Settings layer, PlanShape inputs)
      throws UncompilableException {
    int[] shared = layer.has(SHARED) ? layer.integers(SHARED) : new int[0];
    int slopes = SharedSlopes.count(layer.integers(SHAPE), shared, sizes(inputs));
    if (slopes < 1) {
      throw new UncompilableException(
          "layer '%s' has slopes of another shape ('inputShape' and 'sharedAxes') than its inputs, %s; known are a slope for each number of a row, one for each channel of an image or a time series, and a single one"
              .formatted(name, inputs));
    }
    return new LayerPlanReader.Read(
        new LayerPlan.ParametricRelu(name, inputs.values(), slopes), inputs);
  }

  private static int[] sizes(PlanShape inputs) {
    if (inputs instanceof PlanShape.Image image) {
      return new int[] {image.channels(), image.height(), image.width()};
    } else if (inputs instanceof PlanShape.Sequence series) {
      return new int[] {series.size(), series.steps()};
    }
    return new int[] {inputs.values()};
  }
}
