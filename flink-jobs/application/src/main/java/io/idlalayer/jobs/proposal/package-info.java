/** Proposes an application file for events that no file describes yet. */
@NullMarked
package io.idlalayer.jobs.proposal;

import org.jspecify.annotations.NullMarked;
