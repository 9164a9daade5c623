package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.KernelRefusedException;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import java.lang.reflect.Proxy;

/** A library that refuses to make kernels of one kind. */
final class FaultyKernels {
  private FaultyKernels() {}

  /**
   * @param refused name of a method of {@link KernelLibrary}
   */
  static KernelLibrary without(String refused) {
    KernelLibrary others = new JavaKernels();
    return (KernelLibrary)
        Proxy.newProxyInstance(
            KernelLibrary.class.getClassLoader(),
            new Class<?>[] {KernelLibrary.class},
            (library, method, arguments) -> {
              if (method.getName().equals(refused)) {
                throw new KernelRefusedException(refused + " failed with status 3");
              }
              return method.invoke(others, arguments);
            });
  }
}
