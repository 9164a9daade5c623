package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.array.Scale;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of an activation layer: activation(inputs). */
final class ActivationWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan layer;
  private final Activation activation;
  private final boolean inPlace;
  private @Nullable Tensor outputs;

  /**
   * @param inPlace whether the outputs are allowed to overwrite the inputs, because no other step
   *     needs the inputs
   */
  private ActivationWriter(
      TapeDraft draft, LayerPlan layer, Activation activation, boolean inPlace) {
    this.draft = draft;
    this.layer = layer;
    this.activation = activation;
    this.inPlace = inPlace;
  }

  static ActivationWriter of(TapeDraft draft, LayerPlan.Activated layer, boolean inPlace) {
    return new ActivationWriter(draft, layer, layer.activation(), inPlace);
  }

  /** Creates the writer of the last layer without its activation, which belongs to the loss. */
  static ActivationWriter of(TapeDraft draft, LayerPlan.LossOnly layer, boolean inPlace) {
    return new ActivationWriter(draft, layer, Activation.IDENTITY, inPlace);
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor y = from.get(0);
    boolean copies = !(draft.trains() && activation.needsInputs());
    if (!inPlace && copies) {
      Tensor x = y;
      y = draft.outputs(layer);
      draft.step(Phase.FORWARD, layer.name(), "copy", new Scale(x, y, 1), List.of(x), List.of(y));
    }
    outputs = y;
    return draft.activate(layer.name(), activation, y);
  }

  @Override
  public boolean readsOutputs() {
    return true;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    Tensor y = TapeDraft.written(outputs, layer.name());
    draft.activateBackward(layer.name(), activation, y, errors);
    return List.of(errors);
  }
}
