/**
 * The learners of a job as Flink runs them: the keyed operator, its keyed state, and what the
 * learners of one process share.
 */
@NullMarked
package io.idlalayer.jobs.operator;

import org.jspecify.annotations.NullMarked;
