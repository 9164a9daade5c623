/** Off-heap memory for blocks of any size, with its allocator. */
@NullMarked
package io.idlalayer.middleware.cache.memory;

import org.jspecify.annotations.NullMarked;
