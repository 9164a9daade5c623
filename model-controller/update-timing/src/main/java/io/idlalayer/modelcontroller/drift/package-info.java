/**
 * Drift: detectors that watch the prequential loss of the model in service, and the urgency that an
 * open drift gives to updates.
 */
@NullMarked
package io.idlalayer.modelcontroller.drift;

import org.jspecify.annotations.NullMarked;
