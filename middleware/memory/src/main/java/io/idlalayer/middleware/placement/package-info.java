/** Policies that decide on which device a tensor is, and the front door that runs them. */
@NullMarked
package io.idlalayer.middleware.placement;

import org.jspecify.annotations.NullMarked;
