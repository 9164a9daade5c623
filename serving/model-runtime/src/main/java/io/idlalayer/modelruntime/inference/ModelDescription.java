package io.idlalayer.modelruntime.inference;

import io.idlalayer.middleware.sample.SampleSchema;
import java.util.ArrayList;
import java.util.List;

/**
 * The version of a model that is in service, and its input and output tensors.
 *
 * @param inputs one tensor for each feature
 */
public record ModelDescription(
    String name, long version, List<Tensor> inputs, List<Tensor> outputs) {
  /** Name that the servers give themselves, and the platform of their models. */
  public static final String PLATFORM = "idlalayer";

  /** Dimension that stands for the number of rows of a request. */
  private static final int ROWS = -1;

  /**
   * A tensor of the model.
   *
   * @param shape -1 for the number of rows of a request
   */
  public record Tensor(String name, Datatype datatype, int... shape) {}

  static ModelDescription of(String name, long version, SampleSchema schema) {
    return new ModelDescription(name, version, inputs(schema), outputs(schema.label()));
  }

  private static List<Tensor> inputs(SampleSchema schema) {
    List<Tensor> inputs = new ArrayList<>();
    for (SampleSchema.DenseFeature each : schema.dense()) {
      Datatype type = each.reading().time().isEmpty() ? Datatype.FP64 : Datatype.BYTES;
      inputs.add(input(each.name(), type, each.width()));
    }
    for (SampleSchema.CategoricalFeature each : schema.categorical()) {
      inputs.add(input(each.name(), Datatype.BYTES, 1));
    }
    for (SampleSchema.IdFeature each : schema.ids()) {
      inputs.add(input(each.name(), Datatype.BYTES, each.mostIds()));
    }
    return List.copyOf(inputs);
  }

  private static Tensor input(String name, Datatype type, int width) {
    return width == 1 ? new Tensor(name, type, ROWS) : new Tensor(name, type, ROWS, width);
  }

  private static List<Tensor> outputs(SampleSchema.Label label) {
    return label.task() == SampleSchema.Task.REGRESSION
        ? List.of(new Tensor(Answer.PREDICTION, Datatype.FP64, ROWS))
        : List.of(
            new Tensor(Answer.PREDICTION, Datatype.BYTES, ROWS),
            new Tensor(Answer.PROBABILITIES, Datatype.FP32, ROWS, label.classes().size()));
  }
}
