/**
 * The mixture of experts that a version predicts: the weights of the network and of the simple
 * rules beside it, such as "no change". The weights are learned from the scores of new samples,
 * without a training engine.
 */
@NullMarked
package io.idlalayer.modelcontroller.mixture;

import org.jspecify.annotations.NullMarked;
