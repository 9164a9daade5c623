/** Time as copies and kernels spend it: real, or computed from the speeds of devices. */
@NullMarked
package io.idlalayer.middleware.memory.clock;

import org.jspecify.annotations.NullMarked;
