/**
 * Checks whether a process has the memory and the disk space that applications need. The checks run
 * before a job is submitted, and again in the process in which a learner opens.
 */
@NullMarked
package io.idlalayer.jobs.capacity;

import org.jspecify.annotations.NullMarked;
