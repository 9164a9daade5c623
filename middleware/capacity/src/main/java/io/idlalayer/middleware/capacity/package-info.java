/**
 * Predicts the time of a training step on devices, memories and links that need not exist: after
 * MC-DLA (Kwon 2018), and by running recorded steps under a virtual clock. All times are SIMULATED.
 */
@NullMarked
package io.idlalayer.middleware.capacity;

import org.jspecify.annotations.NullMarked;
