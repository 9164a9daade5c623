/** How one budget of DRAM is divided. Never shipped. */
@NullMarked
package io.idlalayer.benchmarks.budget;

import org.jspecify.annotations.NullMarked;
