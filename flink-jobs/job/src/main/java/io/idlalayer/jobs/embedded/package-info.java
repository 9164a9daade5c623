/** Runs everything in one process: the broker, Flink, and the input. */
@NullMarked
package io.idlalayer.jobs.embedded;

import org.jspecify.annotations.NullMarked;
