/** The command that prints dead letters. */
@NullMarked
package io.idlalayer.jobs.cli.letters;

import org.jspecify.annotations.NullMarked;
