/**
 * Eviction policies, which choose the block that leaves a full cache, and a policy that follows the
 * best of them.
 */
@NullMarked
package io.idlalayer.middleware.cache.policy;

import org.jspecify.annotations.NullMarked;
