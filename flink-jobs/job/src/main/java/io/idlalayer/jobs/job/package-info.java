/** The Flink job. {@link io.idlalayer.jobs.job.OnlineLearningJob} shows the path of the data. */
@NullMarked
package io.idlalayer.jobs.job;

import org.jspecify.annotations.NullMarked;
