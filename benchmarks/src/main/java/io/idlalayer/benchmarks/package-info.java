/** Experiments whose results are committed. Never shipped. */
@NullMarked
package io.idlalayer.benchmarks;

import org.jspecify.annotations.NullMarked;
