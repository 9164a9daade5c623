/**
 * The contents of a work directory, from which a job can continue: the identity of the directory,
 * the file system for its checkpoints, its runs with their recovery points, and its temporary
 * folders.
 */
@NullMarked
package io.idlalayer.jobs.recovery;

import org.jspecify.annotations.NullMarked;
