/**
 * Placement policies that are compared with those of the product: the modes of CachedArrays, vDNN,
 * interleaving, and a hardware cache.
 */
@NullMarked
package io.idlalayer.benchmarks.placement;

import org.jspecify.annotations.NullMarked;
