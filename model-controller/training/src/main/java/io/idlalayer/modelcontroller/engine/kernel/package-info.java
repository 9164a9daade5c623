/**
 * The kernels of the training engine: those whose speed depends on the machine behind a port, with
 * oneDNN and with plain Java behind it, and those that are sweeps over memory.
 */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel;

import org.jspecify.annotations.NullMarked;
