/** Devices: their bytes, their speeds, and how these are measured. */
@NullMarked
package io.idlalayer.middleware.memory.device;

import org.jspecify.annotations.NullMarked;
