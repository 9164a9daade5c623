package io.idlalayer.modelcontroller.engine.kernel.plain;

import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibraryContract;

final class JavaKernelsTest extends KernelLibraryContract {
  private static final KernelLibrary LIBRARY = new JavaKernels();

  @Override
  protected KernelLibrary library() {
    return LIBRARY;
  }
}
