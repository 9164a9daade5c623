/** What is odd in the events of an input: counted while they arrive, in bounded memory. */
@NullMarked
package io.idlalayer.jobs.survey;

import org.jspecify.annotations.NullMarked;
