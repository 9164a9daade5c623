/**
 * Deeplearning4j networks whose training step runs in a {@link
 * io.idlalayer.middleware.placement.engine.PlacedMemory}: parameters, gradients, updater state and
 * activations are its objects, and each layer's forward, backward and update is a kernel.
 */
@NullMarked
package io.idlalayer.modelcontroller.training.placed;

import org.jspecify.annotations.NullMarked;
