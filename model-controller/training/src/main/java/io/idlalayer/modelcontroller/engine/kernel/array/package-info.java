/** Loops over the rows and columns of tensors, which every library shares. */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel.array;

import org.jspecify.annotations.NullMarked;
