/**
 * The storage of samples: the interface to a durable store, the samples' metadata, and the index of
 * the samples on the heap.
 */
@NullMarked
package io.idlalayer.datacontroller.store;

import org.jspecify.annotations.NullMarked;
