/**
 * Detects drift, a change of the prequential loss of the model in service, and computes how much
 * more urgent it makes updates.
 */
@NullMarked
package io.idlalayer.modelcontroller.drift;

import org.jspecify.annotations.NullMarked;
