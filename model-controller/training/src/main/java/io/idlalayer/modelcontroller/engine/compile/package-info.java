/** Compiles configurations of Deeplearning4j to tapes of kernels. */
@NullMarked
package io.idlalayer.modelcontroller.engine.compile;

import org.jspecify.annotations.NullMarked;
