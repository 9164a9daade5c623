/** The commands {@code idla models}: look at, follow, serve, pin and name published versions. */
@NullMarked
package io.idlalayer.jobs.cli.models;

import org.jspecify.annotations.NullMarked;
