/** Serves the pages and their data over HTTP. */
@NullMarked
package io.idlalayer.console.server;

import org.jspecify.annotations.NullMarked;
