/**
 * Checks of a running job's checkpoints: whether they complete, whether their files exist, and how
 * long learning continues without checkpoints.
 */
@NullMarked
package io.idlalayer.jobs.checkpoint;

import org.jspecify.annotations.NullMarked;
