package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a convolution layer: activation(convolution of inputs + bias). */
final class ConvolutionWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Convolved layer;
  private @Nullable Tensor inputs;
  private @Nullable Tensor outputs;

  ConvolutionWriter(TapeDraft draft, LayerPlan.Convolved layer) {
    this.draft = draft;
    this.layer = layer;
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    String name = layer.name();
    Tensor x = from.get(0);
    Tensor weights = draft.tensors().parameters(name + ".W");
    Tensor bias = layer.bias() ? draft.tensors().parameters(name + ".b") : null;
    Tensor y = draft.outputs(layer);
    draft.steps(
        Phase.FORWARD,
        name,
        draft.kernels().convolution(name, layer.shape(), draft.rows(), x, weights, bias, y));
    inputs = x;
    outputs = y;
    return draft.activate(name, layer.activation(), y);
  }

  @Override
  public boolean readsOutputs() {
    return !layer.activation().equals(Activation.IDENTITY);
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    String name = layer.name();
    Tensor x = TapeDraft.written(inputs, name);
    draft.activateBackward(name, layer.activation(), TapeDraft.written(outputs, name), errors);
    Tensor gradient = draft.tensors().gradients(name + ".W");
    Tensor biasGradient = layer.bias() ? draft.tensors().gradients(name + ".b") : null;
    draft.steps(
        Phase.BACKWARD,
        name,
        draft
            .kernels()
            .convolutionGradients(
                name, layer.shape(), draft.rows(), x, errors, gradient, biasGradient));
    if (!draft.wantsErrors(x)) {
      return Collections.singletonList(null);
    }
    Tensor weights = draft.tensors().parameters(name + ".W");
    Tensor before = TapeDraft.errorsOf(x, name);
    draft.steps(
        Phase.BACKWARD,
        name,
        draft
            .kernels()
            .convolutionErrors(name, layer.shape(), draft.rows(), weights, errors, before));
    return List.of(before);
  }
}
