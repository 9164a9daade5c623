package io.idlalayer.modelcontroller.engine.kernel;

final class OneDnnKernelsTest extends KernelLibraryContract {
  private static final KernelLibrary LIBRARY = new OneDnnKernels();

  @Override
  KernelLibrary library() {
    return LIBRARY;
  }
}
