/**
 * {@code idla plan}: what a training step, an update and a month cost with other memories, devices
 * and numbers of processes.
 */
@NullMarked
package io.idlalayer.jobs.cli.plan;

import org.jspecify.annotations.NullMarked;
