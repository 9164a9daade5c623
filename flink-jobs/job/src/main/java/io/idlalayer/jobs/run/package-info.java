/**
 * The common part of all ways to run a job: how it starts, how it is fed and followed, and how it
 * ends. The ways (in this process, on a local cluster, on any cluster) differ only in the Flink
 * that they submit to.
 */
@NullMarked
package io.idlalayer.jobs.run;

import org.jspecify.annotations.NullMarked;
