/** The command that shows running applications in the browser, and its options. */
@NullMarked
package io.idlalayer.console;

import org.jspecify.annotations.NullMarked;
