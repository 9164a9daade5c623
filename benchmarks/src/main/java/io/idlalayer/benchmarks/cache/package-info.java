/** Eviction policies on recorded traces, and the hot cache under load. */
@NullMarked
package io.idlalayer.benchmarks.cache;

import org.jspecify.annotations.NullMarked;
