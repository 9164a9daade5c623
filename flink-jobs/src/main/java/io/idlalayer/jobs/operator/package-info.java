/**
 * The keyed operator: one learner for each application partition, its keyed state, and the threads
 * that train and publish for it. Only {@link io.idlalayer.jobs.operator.LearningFunction} and the
 * classes named Flink... know Flink.
 */
@NullMarked
package io.idlalayer.jobs.operator;

import org.jspecify.annotations.NullMarked;
