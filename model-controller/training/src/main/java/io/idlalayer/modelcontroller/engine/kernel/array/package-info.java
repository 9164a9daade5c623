/** Kernels in Java over the rows and columns of tensors, which all kernel libraries use. */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel.array;

import org.jspecify.annotations.NullMarked;
