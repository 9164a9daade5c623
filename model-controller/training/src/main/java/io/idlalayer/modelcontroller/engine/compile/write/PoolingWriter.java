package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a pooling layer: the largest or the mean value of each window. */
final class PoolingWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Pooled layer;
  private @Nullable Tensor inputs;
  private @Nullable PlannedKernel forward;

  PoolingWriter(TapeDraft draft, LayerPlan.Pooled layer) {
    this.draft = draft;
    this.layer = layer;
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    String name = layer.name();
    Tensor x = from.get(0);
    Tensor y = draft.outputs(layer);
    PlannedKernel planned =
        draft.kernels().pooling(name, layer.shape(), draft.rows(), x, y, draft.trains());
    draft.step(Phase.FORWARD, name, "pooling", planned, List.of(x), List.of(y));
    inputs = x;
    forward = planned;
    return y;
  }

  @Override
  public boolean readsOutputs() {
    return false;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    String name = layer.name();
    Tensor x = TapeDraft.written(inputs, name);
    if (!draft.wantsErrors(x)) {
      return Collections.singletonList(null);
    }
    PlannedKernel pooling = TapeDraft.written(forward, name);
    Tensor before = TapeDraft.errorsOf(x, name);
    PlannedKernel back =
        draft.kernels().poolingErrors(name, layer.shape(), draft.rows(), pooling, errors, before);
    List<Tensor> reads = new ArrayList<>(pooling.workspaces());
    reads.add(errors);
    draft.step(Phase.BACKWARD, name, "errors", back, reads, List.of(before));
    return List.of(before);
  }
}
