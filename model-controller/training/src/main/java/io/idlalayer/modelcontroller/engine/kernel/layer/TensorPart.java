package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import org.jspecify.annotations.Nullable;

/** A range of a tensor in the form of a tensor of its own, for kernels that take whole tensors. */
final class TensorPart {
  private final Tensor whole;
  private final int from;
  private final Tensor part;
  private @Nullable Floats followed;

  TensorPart(Tensor whole, int from, int length) {
    this.whole = whole;
    this.from = from;
    part = new Tensor(whole.name() + "[" + from + "]", whole.kind(), length);
  }

  /**
   * Returns the tensor of the range; its place is that of the whole tensor at the last {@link
   * #follow}.
   */
  Tensor tensor() {
    return part;
  }

  /** Moves the part to the present place of the whole tensor. */
  void follow() {
    Floats now = whole.floats();
    if (now != followed) {
      part.place(now.part(from, part.length()));
      followed = now;
    }
  }
}
