package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.array.AddColumns;
import io.idlalayer.modelcontroller.engine.kernel.array.CopyColumns;
import io.idlalayer.modelcontroller.engine.kernel.array.CopyColumns.Columns;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a layer that takes some columns of the inputs. */
final class PartWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Part layer;
  private @Nullable Tensor inputs;

  PartWriter(TapeDraft draft, LayerPlan.Part layer) {
    this.draft = draft;
    this.layer = layer;
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor x = from.get(0);
    Tensor y = draft.outputs(layer);
    Columns taken = new Columns(x, x.length() / draft.rows(), layer.from());
    TapeKernel kernel = new CopyColumns(taken, new Columns(y, layer.outputs(), 0), layer.outputs());
    draft.step(Phase.FORWARD, layer.name(), "part", kernel, List.of(x), List.of(y));
    draft.partOf(x, layer.from() + layer.outputs(), y);
    inputs = x;
    return y;
  }

  @Override
  public boolean readsOutputs() {
    return false;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    return List.of(backward(errors, null));
  }

  /**
   * Writes the backward pass, which adds the errors of this part to the errors of other parts of
   * the same inputs.
   *
   * @param sum errors of the inputs so far, which the pass changes; null if there are none so far
   * @return errors of the inputs, 0 for columns that no part takes
   */
  Tensor backward(Tensor errors, @Nullable Tensor sum) {
    Tensor x = TapeDraft.written(inputs, layer.name());
    Tensor before = sum == null ? TapeDraft.errorsOf(x, layer.name()) : sum;
    Columns taken = new Columns(before, x.length() / draft.rows(), layer.from());
    TapeKernel kernel =
        new AddColumns(
            new Columns(errors, layer.outputs(), 0), taken, layer.outputs(), sum == null);
    List<Tensor> reads = sum == null ? List.of(errors) : List.of(errors, sum);
    draft.step(Phase.BACKWARD, layer.name(), "part", kernel, reads, List.of(before));
    return before;
  }
}
