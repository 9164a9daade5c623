/**
 * The contents of a work directory from which a job can continue: its identity, the file system of
 * its checkpoints, its runs and their recovery points, and its temporary folders.
 */
@NullMarked
package io.idlalayer.jobs.recovery;

import org.jspecify.annotations.NullMarked;
