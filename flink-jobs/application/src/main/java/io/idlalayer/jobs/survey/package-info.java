/** Counts oddities in the events of an input while they arrive, in bounded memory. */
@NullMarked
package io.idlalayer.jobs.survey;

import org.jspecify.annotations.NullMarked;
