/**
 * Eviction policies, which choose the block that leaves a full cache, and one that selects the best
 * among them.
 */
@NullMarked
package io.idlalayer.middleware.cache.policy;

import org.jspecify.annotations.NullMarked;
