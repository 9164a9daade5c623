package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.array.CopyColumns;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a layer that concatenates several inputs in each row. */
final class MergeWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Merged layer;
  private List<Tensor> inputs = List.of();

  MergeWriter(TapeDraft draft, LayerPlan.Merged layer) {
    this.draft = draft;
    this.layer = layer;
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor y = draft.outputs(layer);
    int at = 0;
    for (Tensor x : from) {
      int width = x.length() / draft.rows();
      TapeKernel kernel =
          new CopyColumns(
              new CopyColumns.Columns(x, width, 0),
              new CopyColumns.Columns(y, layer.outputs(), at),
              width);
      draft.step(Phase.FORWARD, layer.name(), "merge", kernel, List.of(x), List.of(y));
      at += width;
    }
    inputs = List.copyOf(from);
    return y;
  }

  @Override
  public boolean readsOutputs() {
    return false;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    List<@Nullable Tensor> all = new ArrayList<>();
    int at = 0;
    for (Tensor x : inputs) {
      int width = x.length() / draft.rows();
      all.add(draft.wantsErrors(x) ? part(errors, x, at, width) : null);
      at += width;
    }
    return all;
  }

  private Tensor part(Tensor errors, Tensor x, int at, int width) {
    Tensor before = TapeDraft.errorsOf(x, layer.name());
    TapeKernel kernel =
        new CopyColumns(
            new CopyColumns.Columns(errors, layer.outputs(), at),
            new CopyColumns.Columns(before, width, 0),
            width);
    draft.step(Phase.BACKWARD, layer.name(), "split", kernel, List.of(errors), List.of(before));
    return before;
  }
}
