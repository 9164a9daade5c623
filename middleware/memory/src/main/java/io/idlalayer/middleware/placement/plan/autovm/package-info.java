/**
 * Plans of offloading and prefetching: tensors leave the fast device after a use and are back
 * before the next one, beside the kernels between.
 */
@NullMarked
package io.idlalayer.middleware.placement.plan.autovm;

import org.jspecify.annotations.NullMarked;
