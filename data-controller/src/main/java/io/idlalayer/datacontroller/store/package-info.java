/** The storage of samples: the store port, its metadata, and the heap index over it. */
@NullMarked
package io.idlalayer.datacontroller.store;

import org.jspecify.annotations.NullMarked;
