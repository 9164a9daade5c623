package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.Dropout;
import io.idlalayer.modelcontroller.engine.kernel.ElementWise;
import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Step.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Dropout while training; nothing while predicting. */
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
    Kernel kernel = new Dropout(layer.name(), layer.retained(), draft.progress(), x, drawn, y);
    draft.step(Phase.FORWARD, layer.name(), "dropout", kernel, List.of(x), List.of(drawn, y));
    factors = drawn;
    return y;
  }

  @Override
  public boolean readsOutputs() {
    // Its outputs are its inputs while predicting, and others may read those.
    return true;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    Tensor drawn = TapeDraft.written(factors, layer.name());
    Kernel kernel = new ElementWise(ElementWise.Operation.MULTIPLY, errors, drawn, errors);
    List<Tensor> reads = List.of(errors, drawn);
    draft.step(Phase.BACKWARD, layer.name(), "dropout", kernel, reads, List.of(errors));
    return List.of(errors);
  }
}
