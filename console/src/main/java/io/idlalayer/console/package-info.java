/** The command that shows running applications in the browser, and what it is told. */
@NullMarked
package io.idlalayer.console;

import org.jspecify.annotations.NullMarked;
