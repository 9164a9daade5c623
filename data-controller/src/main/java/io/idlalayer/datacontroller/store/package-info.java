/**
 * The storage of samples: the port to a durable store, the samples' metadata, and the index of them
 * on the heap.
 */
@NullMarked
package io.idlalayer.datacontroller.store;

import org.jspecify.annotations.NullMarked;
