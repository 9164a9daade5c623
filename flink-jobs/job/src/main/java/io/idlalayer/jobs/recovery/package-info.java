/**
 * What a work directory keeps so that a job can go on: its identity, the file system of its
 * checkpoints, its runs and their recovery points, and the folders that are swept.
 */
@NullMarked
package io.idlalayer.jobs.recovery;

import org.jspecify.annotations.NullMarked;
