/**
 * The mixture of experts that is served: how much the network and the rules of one line beside it
 * weigh. The weights are learned on the scores of new samples; no training engine.
 */
@NullMarked
package io.idlalayer.modelcontroller.mixture;

import org.jspecify.annotations.NullMarked;
