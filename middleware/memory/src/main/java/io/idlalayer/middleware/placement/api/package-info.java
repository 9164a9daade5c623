/**
 * The interface between placement policies and the engine: kernels, allocation requests, a view of
 * the memory, and the actions that policies return.
 */
@NullMarked
package io.idlalayer.middleware.placement.api;

import org.jspecify.annotations.NullMarked;
