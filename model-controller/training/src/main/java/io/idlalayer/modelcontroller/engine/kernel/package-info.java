/**
 * The kernels of the training engine: kernels whose speed depends on the machine are behind a port,
 * which oneDNN and plain Java implement; the others are loops over memory.
 */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel;

import org.jspecify.annotations.NullMarked;
