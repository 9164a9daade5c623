/** Tensors outside the heap, and the kernels that read and write them in a fixed order. */
@NullMarked
package io.idlalayer.modelcontroller.engine.tape;

import org.jspecify.annotations.NullMarked;
