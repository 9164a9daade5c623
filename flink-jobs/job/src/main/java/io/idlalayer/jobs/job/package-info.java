/**
 * The Flink job: read {@link io.idlalayer.jobs.job.OnlineLearningJob} to see the way of the data.
 */
@NullMarked
package io.idlalayer.jobs.job;

import org.jspecify.annotations.NullMarked;
