package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.DotProducts;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a layer of the dot products of all pairs of vectors. */
final class DotsWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Dots layer;
  private List<Tensor> inputs = List.of();
  private @Nullable DotProducts shape;

  DotsWriter(TapeDraft draft, LayerPlan.Dots layer) {
    this.draft = draft;
    this.layer = layer;
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor y = draft.outputs(layer);
    String name = layer.name();
    int oneOfEachRow = draft.length(layer.dim());
    List<Integer> counts = from.stream().map(x -> x.length() / oneOfEachRow).toList();
    DotProducts read = new DotProducts(counts, layer.dim());
    PlannedKernel planned = draft.kernels().dotProducts(name, read, draft.rows(), from, y);
    draft.step(Phase.FORWARD, name, "dots", planned, from, List.of(y));
    inputs = List.copyOf(from);
    shape = read;
    return y;
  }

  @Override
  public boolean readsOutputs() {
    return false;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    List<@Nullable Tensor> before = new ArrayList<>();
    for (Tensor x : inputs) {
      before.add(draft.wantsErrors(x) ? TapeDraft.errorsOf(x, layer.name()) : null);
    }
    List<Tensor> writes = before.stream().filter(Objects::nonNull).toList();
    if (!writes.isEmpty()) {
      List<Tensor> reads = new ArrayList<>(inputs);
      reads.add(errors);
      String name = layer.name();
      DotProducts read = TapeDraft.written(shape, name);
      PlannedKernel planned =
          draft.kernels().dotProductErrors(name, read, draft.rows(), inputs, errors, before);
      draft.step(Phase.BACKWARD, name, "dots", planned, reads, writes);
    }
    return before;
  }
}
