/**
 * Code that every command on a terminal needs: it reads application files, explains errors, ends
 * commands on Ctrl-C, and keeps the log of libraries off the terminal.
 */
@NullMarked
package io.idlalayer.jobs.terminal;

import org.jspecify.annotations.NullMarked;
