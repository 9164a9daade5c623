/** The CachedArrays policy in the modes of its source: the least recently used objects leave. */
@NullMarked
package io.idlalayer.middleware.placement.policies.lru;

import org.jspecify.annotations.NullMarked;
