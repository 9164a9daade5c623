/**
 * Makes one model of those that the partitions of an application learn: which contributions a round
 * takes, and the version that comes of it. Without Flink; an operator of the job drives it.
 */
@NullMarked
package io.idlalayer.jobs.mixing;

import org.jspecify.annotations.NullMarked;
