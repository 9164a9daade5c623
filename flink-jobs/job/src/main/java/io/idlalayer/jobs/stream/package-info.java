/**
 * Learning from any stream of a Flink job: its elements become arrivals, and the learner is
 * attached to it.
 */
@NullMarked
package io.idlalayer.jobs.stream;

import org.jspecify.annotations.NullMarked;
