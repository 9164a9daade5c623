/** The command about shared cache files. */
@NullMarked
package io.idlalayer.jobs.cli.cache;

import org.jspecify.annotations.NullMarked;
