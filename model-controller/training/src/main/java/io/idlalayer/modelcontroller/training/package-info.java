/**
 * Trains models: the interface of trainers, its implementation for networks, and the choice of the
 * engine that computes the networks. Code for Deeplearning4j's formats is in this package, in the
 * packages {@code engine} and {@code engine.compile}, and in the package {@code network} of the
 * model loader.
 */
@NullMarked
package io.idlalayer.modelcontroller.training;

import org.jspecify.annotations.NullMarked;
