package io.idlalayer.modelcontroller.engine.kernel;

final class JavaKernelsTest extends KernelLibraryContract {
  private static final KernelLibrary LIBRARY = new JavaKernels();

  @Override
  KernelLibrary library() {
    return LIBRARY;
  }
}
