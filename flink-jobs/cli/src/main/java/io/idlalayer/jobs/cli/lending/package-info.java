/** The command of a process that lends memory. */
@NullMarked
package io.idlalayer.jobs.cli.lending;

import org.jspecify.annotations.NullMarked;
