/**
 * Trains models: the trainer port, its implementation for networks, and the choice of the engine
 * that computes them. Deeplearning4j is used here, in the packages {@code engine} and {@code
 * engine.compile}, and in the package {@code network} of the model loader.
 */
@NullMarked
package io.idlalayer.modelcontroller.training;

import org.jspecify.annotations.NullMarked;
