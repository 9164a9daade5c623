/**
 * The events that an application has refused: they are read here, and sent to the application
 * again.
 */
@NullMarked
package io.idlalayer.console.letters;

import org.jspecify.annotations.NullMarked;
