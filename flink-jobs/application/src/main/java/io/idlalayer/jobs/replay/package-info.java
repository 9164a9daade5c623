/**
 * Recorded arrivals for the replay lab: files in several formats, and decision logs of real runs.
 */
@NullMarked
package io.idlalayer.jobs.replay;

import org.jspecify.annotations.NullMarked;
