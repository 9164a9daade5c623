package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.kernel.layer.LongShortTermMemory;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a layer of long short-term memory over time series. */
final class RecurrentWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Recurrent layer;
  private final LongShortTermMemory memory;
  private @Nullable Tensor inputs;

  RecurrentWriter(TapeDraft draft, LayerPlan.Recurrent layer) {
    this.draft = draft;
    this.layer = layer;
    memory =
        new LongShortTermMemory(
            layer.name(),
            new LongShortTermMemory.Shape(
                draft.rows(),
                layer.inputs(),
                layer.units(),
                layer.steps(),
                layer.activation(),
                layer.gates()),
            weights(draft.tensors()::parameters),
            draft.kernels());
  }

  private LongShortTermMemory.Weights weights(Function<String, Tensor> by) {
    return new LongShortTermMemory.Weights(
        by.apply(layer.name() + ".W"),
        by.apply(layer.name() + ".RW"),
        by.apply(layer.name() + ".b"));
  }

  private static List<Tensor> all(LongShortTermMemory.Weights weights) {
    return List.of(weights.input(), weights.recurrent(), weights.bias());
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor x = from.get(0);
    Tensor y = draft.outputs(layer);
    PlannedKernel planned = memory.forward(x, y);
    List<Tensor> reads = new ArrayList<>(all(weights(draft.tensors()::parameters)));
    reads.add(x);
    draft.step(Phase.FORWARD, layer.name(), "recurrence", planned, reads, List.of(y));
    inputs = x;
    return y;
  }

  @Override
  public boolean readsOutputs() {
    // The workspaces contain a copy of the outputs.
    return false;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    Tensor x = TapeDraft.written(inputs, layer.name());
    Tensor before = draft.wantsErrors(x) ? TapeDraft.errorsOf(x, layer.name()) : null;
    LongShortTermMemory.Weights gradients = weights(draft.tensors()::gradients);
    PlannedKernel planned = memory.backward(layer.name(), errors, gradients, before);
    List<Tensor> reads = new ArrayList<>(all(weights(draft.tensors()::parameters)));
    reads.addAll(memory.remembered());
    reads.add(errors);
    List<Tensor> writes = new ArrayList<>(all(gradients));
    if (before != null) {
      writes.add(before);
    }
    draft.step(Phase.BACKWARD, layer.name(), "recurrence", planned, reads, writes);
    return Collections.singletonList(before);
  }
}
