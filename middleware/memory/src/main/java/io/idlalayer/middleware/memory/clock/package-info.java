/** The time that copies and kernels take: real, or computed from the speeds of devices. */
@NullMarked
package io.idlalayer.middleware.memory.clock;

import org.jspecify.annotations.NullMarked;
