/** What a run shows on the terminal: its progress, what happens, and a summary at the end. */
@NullMarked
package io.idlalayer.jobs.cli.progress;

import org.jspecify.annotations.NullMarked;
