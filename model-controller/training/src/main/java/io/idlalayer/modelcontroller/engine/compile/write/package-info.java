/** Writes the plan of a network as a tape of kernels. */
@NullMarked
package io.idlalayer.modelcontroller.engine.compile.write;

import org.jspecify.annotations.NullMarked;
