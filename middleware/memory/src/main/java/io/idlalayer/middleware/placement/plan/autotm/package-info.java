/**
 * AutoTM: plans of a whole step, from prices of fast memory and of the copies' time (Hildebrand et
 * al. 2020).
 */
@NullMarked
package io.idlalayer.middleware.placement.plan.autotm;

import org.jspecify.annotations.NullMarked;
