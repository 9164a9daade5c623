package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.array.ElementWise;
import io.idlalayer.modelcontroller.engine.kernel.layer.Dropout;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of dropout in a tape that trains, and none in a tape that predicts. */
final class DropoutWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Dropped layer;
  private @Nullable Tensor factors;

  DropoutWriter(TapeDraft draft, LayerPlan.Dropped layer) {
    this.draft = draft;
    this.layer = layer;
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor x = from.get(0);
    if (!draft.trains()) {
      return x;
    }
    Tensor y = draft.outputs(layer);
    Tensor drawn = new Tensor(layer.name() + ".factors", Tensor.Kind.WORKSPACE, x.length());
    TapeKernel kernel = new Dropout(layer.name(), layer.retained(), draft.progress(), x, drawn, y);
    draft.step(Phase.FORWARD, layer.name(), "dropout", kernel, List.of(x), List.of(drawn, y));
    factors = drawn;
    return y;
  }

  @Override
  public boolean readsOutputs() {
    // In predictions the outputs are the tensor of the inputs, which other layers possibly read.
    return true;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    Tensor drawn = TapeDraft.written(factors, layer.name());
    TapeKernel kernel = new ElementWise(ElementWise.Operation.MULTIPLY, errors, drawn, errors);
    List<Tensor> reads = List.of(errors, drawn);
    draft.step(Phase.BACKWARD, layer.name(), "dropout", kernel, reads, List.of(errors));
    return List.of(errors);
  }
}
