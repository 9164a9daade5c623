/** The improved CachedArrays policy: what costs least leaves, and copies hide behind kernels. */
@NullMarked
package io.idlalayer.middleware.placement.policies.costaware;

import org.jspecify.annotations.NullMarked;
