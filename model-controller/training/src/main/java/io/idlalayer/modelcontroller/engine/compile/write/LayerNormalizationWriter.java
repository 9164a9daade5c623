package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.ParameterArrays;
import io.idlalayer.modelcontroller.engine.kernel.layer.LayerNormalization;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of layer normalization, over the numbers of each row. */
final class LayerNormalizationWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.LayerNormalized layer;
  private final Tensor scale;
  private final Tensor shift;
  private final LayerNormalization normalization;
  private @Nullable Tensor inputs;

  LayerNormalizationWriter(TapeDraft draft, LayerPlan.LayerNormalized layer) {
    this.draft = draft;
    this.layer = layer;
    scale = draft.tensors().parameters(layer.name() + "." + ParameterArrays.SCALE);
    shift = draft.tensors().parameters(layer.name() + "." + ParameterArrays.SHIFT);
    normalization = new LayerNormalization(layer.outputs(), layer.epsilon(), scale, shift);
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor x = from.get(0);
    Tensor y = draft.outputs(layer);
    TapeKernel kernel = normalization.forward(x, y);
    List<Tensor> reads = List.of(x, scale, shift);
    draft.step(Phase.FORWARD, layer.name(), "normalization", kernel, reads, List.of(y));
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
    Tensor ofScale = draft.tensors().gradients(layer.name() + "." + ParameterArrays.SCALE);
    Tensor ofShift = draft.tensors().gradients(layer.name() + "." + ParameterArrays.SHIFT);
    TapeKernel kernel = normalization.backward(x, errors, ofScale, ofShift, errors);
    List<Tensor> reads = List.of(x, errors, scale);
    List<Tensor> writes = List.of(ofScale, ofShift, errors);
    draft.step(Phase.BACKWARD, layer.name(), "normalization", kernel, reads, writes);
    return List.of(errors);
  }
}
