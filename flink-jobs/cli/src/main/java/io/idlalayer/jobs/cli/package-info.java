/** The command line. */
@NullMarked
package io.idlalayer.jobs.cli;

import org.jspecify.annotations.NullMarked;
