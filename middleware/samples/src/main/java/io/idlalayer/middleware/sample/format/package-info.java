/** Decoders of events (JSON, CSV, TSV, binary) and readers of files of events. */
@NullMarked
package io.idlalayer.middleware.sample.format;

import org.jspecify.annotations.NullMarked;
