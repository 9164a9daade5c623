package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import java.util.ArrayList;
import java.util.List;

/**
 * A list of kernels that are created together. When the list is closed, it frees its kernels,
 * unless {@link #finished} was called after all of them were created.
 */
public final class UnfinishedKernels implements AutoCloseable {
  private final List<TapeKernel> kernels = new ArrayList<>();

  public <T extends TapeKernel> T own(T kernel) {
    kernels.add(kernel);
    return kernel;
  }

  /** Releases the kernels from this list; their new owner frees them. */
  public void finished() {
    kernels.clear();
  }

  @Override
  public void close() {
    kernels.forEach(TapeKernel::close);
  }
}
