/** Recorded steps: their files, what a run of them moved, and lower bounds of it. */
@NullMarked
package io.idlalayer.benchmarks.trace;

import org.jspecify.annotations.NullMarked;
