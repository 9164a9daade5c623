/**
 * The improved CachedArrays policy: evicts the least recently used objects, and copies while
 * kernels run.
 */
@NullMarked
package io.idlalayer.middleware.placement.policies.improved;

import org.jspecify.annotations.NullMarked;
