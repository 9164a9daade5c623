/** Reads files of events: unpacks them, and finds out the encoding of their text. */
@NullMarked
package io.idlalayer.middleware.sample.file;

import org.jspecify.annotations.NullMarked;
