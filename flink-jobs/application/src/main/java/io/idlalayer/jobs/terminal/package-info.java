/**
 * What every command of a terminal needs: it reads application files, explains errors, ends on
 * Ctrl-C, and keeps the lines of libraries off the terminal.
 */
@NullMarked
package io.idlalayer.jobs.terminal;

import org.jspecify.annotations.NullMarked;
