package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.Product;
import io.idlalayer.modelcontroller.engine.kernel.array.ColumnSums;
import io.idlalayer.modelcontroller.engine.kernel.array.RowBias;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a dense layer: activation(inputs x weights + bias). */
final class ProductWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan layer;
  private final boolean bias;
  private final Activation activation;
  private @Nullable Tensor inputs;
  private @Nullable Tensor outputs;

  private ProductWriter(TapeDraft draft, LayerPlan layer, boolean bias, Activation activation) {
    this.draft = draft;
    this.layer = layer;
    this.bias = bias;
    this.activation = activation;
  }

  static ProductWriter of(TapeDraft draft, LayerPlan.Dense layer) {
    return new ProductWriter(draft, layer, layer.bias(), layer.activation());
  }

  /** Creates the writer of the last layer without its activation, which belongs to the loss. */
  static ProductWriter of(TapeDraft draft, LayerPlan.Output layer) {
    return new ProductWriter(draft, layer, layer.bias(), Activation.IDENTITY);
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor x = from.get(0);
    Tensor weights = draft.tensors().parameters(layer.name() + ".W");
    Tensor y = draft.outputs(layer);
    if (bias) {
      Tensor added = draft.tensors().parameters(layer.name() + ".b");
      TapeKernel rowBias = new RowBias(added, y);
      draft.step(Phase.FORWARD, layer.name(), "bias", rowBias, List.of(added), List.of(y));
    }
    int depth = x.length() / draft.rows();
    Product shape = new Product(draft.rows(), layer.outputs(), depth, false, true, bias);
    TapeKernel product = draft.kernels().product(shape, x, weights, y);
    // The product is added to the bias.
    List<Tensor> reads = bias ? List.of(x, weights, y) : List.of(x, weights);
    draft.step(Phase.FORWARD, layer.name(), "product", product, reads, List.of(y));
    inputs = x;
    outputs = y;
    return draft.activate(layer.name(), activation, y);
  }

  @Override
  public boolean readsOutputs() {
    return !activation.equals(Activation.IDENTITY);
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    String name = layer.name();
    Tensor x = TapeDraft.written(inputs, name);
    draft.activateBackward(name, activation, TapeDraft.written(outputs, name), errors);
    int width = layer.outputs();
    int depth = x.length() / draft.rows();
    Tensor gradient = draft.tensors().gradients(name + ".W");
    Product ofWeights = new Product(width, depth, draft.rows(), true, false, false);
    TapeKernel kernel = draft.kernels().product(ofWeights, errors, x, gradient);
    draft.step(Phase.BACKWARD, name, "gradient", kernel, List.of(errors, x), List.of(gradient));
    if (bias) {
      Tensor ofBias = draft.tensors().gradients(name + ".b");
      TapeKernel sums = new ColumnSums(errors, ofBias);
      draft.step(Phase.BACKWARD, name, "bias gradient", sums, List.of(errors), List.of(ofBias));
    }
    if (!draft.wantsErrors(x)) {
      return Collections.singletonList(null);
    }
    Tensor weights = draft.tensors().parameters(name + ".W");
    Tensor before = TapeDraft.errorsOf(x, name);
    Product ofInputs = new Product(draft.rows(), depth, width, false, false, false);
    TapeKernel back = draft.kernels().product(ofInputs, errors, weights, before);
    draft.step(Phase.BACKWARD, name, "errors", back, List.of(errors, weights), List.of(before));
    return List.of(before);
  }
}
