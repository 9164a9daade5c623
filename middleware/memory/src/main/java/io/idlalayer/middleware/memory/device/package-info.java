/**
 * Devices of a memory: the arenas that hold their bytes, their speeds, and the measurement of these
 * speeds.
 */
@NullMarked
package io.idlalayer.middleware.memory.device;

import org.jspecify.annotations.NullMarked;
