/**
 * The port to the durable embedding rows of a learner, the bytes of a stored row, and the buffers
 * in DRAM beside the store: prefetched rows, and rows that are to be written.
 */
@NullMarked
package io.idlalayer.middleware.embedding.store;

import org.jspecify.annotations.NullMarked;
