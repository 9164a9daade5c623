package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.layer.LastStep;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a layer that takes the last step of time series. */
final class LastStepWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.LastStep layer;
  private @Nullable Tensor inputs;

  LastStepWriter(TapeDraft draft, LayerPlan.LastStep layer) {
    this.draft = draft;
    this.layer = layer;
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor x = from.get(0);
    Tensor y = draft.outputs(layer);
    LastStep last = new LastStep(x, y, layer.steps());
    draft.step(Phase.FORWARD, layer.name(), "last step", last.forward(), List.of(x), List.of(y));
    inputs = x;
    return y;
  }

  @Override
  public boolean readsOutputs() {
    return false;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    Tensor x = TapeDraft.written(inputs, layer.name());
    if (!draft.wantsErrors(x)) {
      return Collections.singletonList(null);
    }
    Tensor before = TapeDraft.errorsOf(x, layer.name());
    LastStep last = new LastStep(before, errors, layer.steps());
    draft.step(
        Phase.BACKWARD,
        layer.name(),
        "last step",
        last.backward(),
        List.of(errors),
        List.of(before));
    return List.of(before);
  }
}
