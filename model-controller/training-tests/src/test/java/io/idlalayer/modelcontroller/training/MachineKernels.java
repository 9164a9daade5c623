package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import java.util.List;

/**
 * The kernels that run on this machine, for tests that are about neither library. Tests of oneDNN
 * itself have the tag {@code natives}, and fail where it cannot be loaded.
 */
public final class MachineKernels {
  private MachineKernels() {}

  /** Returns the kernels that an application trains with: those of oneDNN, if it can be loaded. */
  public static KernelLibrary best() {
    return all().get(0);
  }

  /** Returns the kernels of all libraries, the best ones first. */
  public static List<KernelLibrary> all() {
    try {
      return List.of(new OneDnnKernels(), new JavaKernels());
    } catch (LinkageError none) {
      return List.of(new JavaKernels());
    }
  }
}
