/**
 * Computes the input of a network from samples: scaled values, one-hots, and the vectors of the
 * rows of tables.
 */
@NullMarked
package io.idlalayer.modelruntime.input;

import org.jspecify.annotations.NullMarked;
