package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A range of a tensor in the form of a separate tensor, for kernels whose arguments are whole
 * tensors.
 */
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
   * Returns the tensor of the range; its address follows from the address that the whole tensor had
   * at the last call of {@link #follow}.
   */
  Tensor tensor() {
    return part;
  }

  /** Sets the address of the part by the present address of the whole tensor. */
  void follow() {
    Floats now = whole.floats();
    if (now != followed) {
      part.place(now.part(from, part.length()));
      followed = now;
    }
  }
}
