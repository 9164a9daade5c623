package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import org.jspecify.annotations.Nullable;

/** Neighbouring numbers of a tensor, for kernels that take a tensor of their own. */
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

  /** Returns the part, at the place that the whole tensor had at the last {@link #follow}. */
  Tensor tensor() {
    return part;
  }

  /** Goes where the whole is now. */
  void follow() {
    Floats now = whole.floats();
    if (now != followed) {
      part.place(now.part(from, part.length()));
      followed = now;
    }
  }
}
