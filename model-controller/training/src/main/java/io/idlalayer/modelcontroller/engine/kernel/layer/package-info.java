/** Kernels of layers and losses that consist of several loops or smaller kernels. */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel.layer;

import org.jspecify.annotations.NullMarked;
