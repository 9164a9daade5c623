/**
 * The Flink operator that runs the learners of a job: the keyed operator, its keyed state, and what
 * the learners of one process share.
 */
@NullMarked
package io.idlalayer.jobs.operator;

import org.jspecify.annotations.NullMarked;
