/** Determines where a job begins to read the topics of an application that has no state yet. */
@NullMarked
package io.idlalayer.jobs.start;

import org.jspecify.annotations.NullMarked;
