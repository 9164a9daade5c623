/**
 * Clocks for the times of copies and kernels: measured, or computed from the speeds of the devices.
 */
@NullMarked
package io.idlalayer.middleware.memory.clock;

import org.jspecify.annotations.NullMarked;
