/** Files of events: what they are packed in, and which encoding their text has. */
@NullMarked
package io.idlalayer.middleware.sample.file;

import org.jspecify.annotations.NullMarked;
