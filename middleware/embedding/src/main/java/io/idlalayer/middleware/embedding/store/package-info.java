/**
 * The port to the durable rows of a learner, the bytes of a stored row, and what is kept in DRAM
 * beside the store: rows that were read ahead, and rows that are to be written.
 */
@NullMarked
package io.idlalayer.middleware.embedding.store;

import org.jspecify.annotations.NullMarked;
