/** The findings about an input that the terminal shows, and whether the input was learned. */
@NullMarked
package io.idlalayer.jobs.findings;

import org.jspecify.annotations.NullMarked;
