/** The order in which objects leave the fast device, which several placement policies keep. */
@NullMarked
package io.idlalayer.middleware.placement.policies;

import org.jspecify.annotations.NullMarked;
