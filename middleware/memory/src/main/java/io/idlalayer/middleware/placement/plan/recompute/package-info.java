/**
 * Plans in which kernels run again: tensors are dropped and computed anew where that is cheaper
 * than moving them.
 */
@NullMarked
package io.idlalayer.middleware.placement.plan.recompute;

import org.jspecify.annotations.NullMarked;
