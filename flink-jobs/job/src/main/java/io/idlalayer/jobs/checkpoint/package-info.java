/**
 * The checkpoints of a job that runs: whether they complete, whether their files are there, and how
 * long learning goes on without them.
 */
@NullMarked
package io.idlalayer.jobs.checkpoint;

import org.jspecify.annotations.NullMarked;
