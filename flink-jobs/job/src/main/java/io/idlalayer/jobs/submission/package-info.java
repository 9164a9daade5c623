/**
 * Starts jobs on a Flink that the product did not start, and which has its own state and settings.
 */
@NullMarked
package io.idlalayer.jobs.submission;

import org.jspecify.annotations.NullMarked;
