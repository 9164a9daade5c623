/**
 * Reads texts of events: encodings, rows of CSV, numbers and times. Also describes faults in
 * malformed JSON.
 */
@NullMarked
package io.idlalayer.middleware.sample.text;

import org.jspecify.annotations.NullMarked;
