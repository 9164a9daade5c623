/**
 * The improved CachedArrays policy: what was used least recently leaves, and copies hide behind
 * kernels.
 */
@NullMarked
package io.idlalayer.middleware.placement.policies.improved;

import org.jspecify.annotations.NullMarked;
