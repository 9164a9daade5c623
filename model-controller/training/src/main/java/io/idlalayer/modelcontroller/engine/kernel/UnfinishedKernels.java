package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import java.util.ArrayList;
import java.util.List;

/** Kernels that are freed with this, unless all that belongs to them could be made. */
final class UnfinishedKernels implements AutoCloseable {
  private final List<Kernel> kernels = new ArrayList<>();

  <T extends Kernel> T own(T kernel) {
    kernels.add(kernel);
    return kernel;
  }

  /** Whoever has the kernels now frees them. */
  void finished() {
    kernels.clear();
  }

  @Override
  public void close() {
    kernels.forEach(Kernel::close);
  }
}
