package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.ParameterArrays;
import io.idlalayer.modelcontroller.engine.kernel.layer.ParametricRelu;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a rectifier with learned slopes. */
final class ParametricReluWriter implements LayerWriter {
  private static final String KIND = "prelu";

  private final TapeDraft draft;
  private final LayerPlan.ParametricRelu layer;
  private final Tensor slopes;
  private final ParametricRelu rectifier;
  private @Nullable Tensor inputs;

  ParametricReluWriter(TapeDraft draft, LayerPlan.ParametricRelu layer) {
    this.draft = draft;
    this.layer = layer;
    slopes = draft.tensors().parameters(layer.name() + "." + ParameterArrays.WEIGHTS);
    rectifier = new ParametricRelu(layer.outputs(), slopes);
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor x = from.get(0);
    Tensor y = draft.outputs(layer);
    TapeKernel kernel = rectifier.forward(x, y);
    draft.step(Phase.FORWARD, layer.name(), KIND, kernel, List.of(x, slopes), List.of(y));
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
    Tensor ofSlopes = draft.tensors().gradients(layer.name() + "." + ParameterArrays.WEIGHTS);
    TapeKernel kernel = rectifier.backward(x, errors, ofSlopes, errors);
    List<Tensor> reads = List.of(x, errors, slopes);
    draft.step(Phase.BACKWARD, layer.name(), KIND, kernel, reads, List.of(ofSlopes, errors));
    return List.of(errors);
  }
}
