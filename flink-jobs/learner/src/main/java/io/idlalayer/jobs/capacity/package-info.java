/**
 * Checks whether a process has the memory and the disk that applications need: before a job is
 * submitted, and again where a learner opens.
 */
@NullMarked
package io.idlalayer.jobs.capacity;

import org.jspecify.annotations.NullMarked;
