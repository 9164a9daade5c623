/** Layers and losses that are made of several loops or kernels. */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel.layer;

import org.jspecify.annotations.NullMarked;
