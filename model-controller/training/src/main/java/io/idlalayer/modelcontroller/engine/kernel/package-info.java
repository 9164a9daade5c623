/**
 * The kernels of the training engine: kernels whose speed depends on the machine are behind an
 * interface with two implementations, oneDNN and plain Java; the other kernels are loops over
 * memory.
 */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel;

import org.jspecify.annotations.NullMarked;
