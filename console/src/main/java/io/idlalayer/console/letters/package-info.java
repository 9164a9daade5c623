/** Reads the events that an application has refused, and sends them to the application again. */
@NullMarked
package io.idlalayer.console.letters;

import org.jspecify.annotations.NullMarked;
