/**
 * The plans of AutoVM's source, for comparison: without the times of kernels, and with the search
 * for prefetches as it is printed.
 */
@NullMarked
package io.idlalayer.benchmarks.placement.autovm;

import org.jspecify.annotations.NullMarked;
