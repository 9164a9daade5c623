/** Recorded steps: their files, and what a run of them moved. */
@NullMarked
package io.idlalayer.benchmarks.trace;

import org.jspecify.annotations.NullMarked;
