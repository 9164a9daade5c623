/**
 * One learner: everything that happens to an application partition, without an engine. Start with
 * {@link io.idlalayer.jobs.learner.Learner}, which is the way of a sample, and {@link
 * io.idlalayer.jobs.learner.UpdatePipeline}, which is the way of an update. {@link
 * io.idlalayer.jobs.learner.LearnerCheckpoint} knows what survives. No class here knows Flink or
 * Kafka; {@link io.idlalayer.jobs.learner.LearnerContext} lists what the outside must bring. {@link
 * io.idlalayer.jobs.learner.VirtualTimeLearner} brings all of it for experiments.
 */
@NullMarked
package io.idlalayer.jobs.learner;

import org.jspecify.annotations.NullMarked;
