/** What of an input is worth saying on the terminal, and whether it was learned. */
@NullMarked
package io.idlalayer.jobs.findings;

import org.jspecify.annotations.NullMarked;
