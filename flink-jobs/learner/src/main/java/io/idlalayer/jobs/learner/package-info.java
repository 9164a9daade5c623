/**
 * One learner: everything that happens to an application partition, without a stream-processing
 * engine. Readers should start with {@link io.idlalayer.jobs.learner.Learner}, which handles a
 * sample from its event to the store. The steps of an update are in package {@code update}. {@link
 * io.idlalayer.jobs.learner.LearnerCheckpoint} writes and restores the durable state. No class here
 * depends on Flink or Kafka; {@link io.idlalayer.jobs.learner.LearnerContext} lists the objects
 * that a caller must provide.
 *
 * <p>Packages depend on each other in one direction: {@code learner} on {@code update}, {@code
 * update} on {@code release}, {@code release} on {@code publish}, and {@code publish} on {@code
 * state}. Calls in the opposite direction go through interfaces of the lower package: {@code
 * release.GivenUpUpdates}, {@code publish.WorkQueue}, {@code state.StateSaver}, {@code
 * state.DecisionLog} and {@code update.UpdateLog}.
 */
@NullMarked
package io.idlalayer.jobs.learner;

import org.jspecify.annotations.NullMarked;
