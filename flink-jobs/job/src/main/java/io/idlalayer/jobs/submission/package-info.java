/** Starts jobs on a Flink that is not started by the product, with its own state and settings. */
@NullMarked
package io.idlalayer.jobs.submission;

import org.jspecify.annotations.NullMarked;
