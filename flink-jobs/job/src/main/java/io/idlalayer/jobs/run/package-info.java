/**
 * The common part of all ways to run a job: how the job starts, how it is fed and followed, and how
 * it ends. A job can run in this process, on a local cluster, or on any cluster. These ways differ
 * only in the Flink to which the job is submitted.
 */
@NullMarked
package io.idlalayer.jobs.run;

import org.jspecify.annotations.NullMarked;
