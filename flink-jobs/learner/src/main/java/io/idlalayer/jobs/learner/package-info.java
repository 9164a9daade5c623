/**
 * One learner: everything that happens to an application partition, without an engine. Start with
 * {@link io.idlalayer.jobs.learner.Learner}, which is the way of a sample; the way of an update is
 * in package {@code update}. {@link io.idlalayer.jobs.learner.LearnerCheckpoint} knows what
 * survives. No class here knows Flink or Kafka; {@link io.idlalayer.jobs.learner.LearnerContext}
 * lists what the outside must bring.
 *
 * <p>Packages depend one way: {@code learner} on {@code update} on {@code release} on {@code
 * publish} on {@code state}. What is asked for in the other direction goes through a port of the
 * lower package: {@code release.GivenUpUpdates}, {@code publish.WorkQueue}, {@code
 * state.StateSaver}, {@code state.DecisionLog} and {@code update.UpdateLog}.
 */
@NullMarked
package io.idlalayer.jobs.learner;

import org.jspecify.annotations.NullMarked;
