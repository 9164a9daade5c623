package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.DotProducts;
import io.idlalayer.modelcontroller.engine.tape.Step.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The dot products of all pairs of vectors. */
final class DotsWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Dots layer;
  private List<Tensor> inputs = List.of();
  private @Nullable DotProducts products;

  DotsWriter(TapeDraft draft, LayerPlan.Dots layer) {
    this.draft = draft;
    this.layer = layer;
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor y = draft.outputs(layer);
    DotProducts made = new DotProducts(from, draft.rows(), layer.dim());
    draft.step(Phase.FORWARD, layer.name(), "dots", made.forward(y), from, List.of(y));
    inputs = List.copyOf(from);
    products = made;
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
      DotProducts made = TapeDraft.written(products, layer.name());
      draft.step(
          Phase.BACKWARD, layer.name(), "dots", made.backward(errors, before), reads, writes);
    }
    return before;
  }
}
