/**
 * The interface between placement policies and the engine that serves them: kernels, requests, a
 * view of the memory, and actions.
 */
@NullMarked
package io.idlalayer.middleware.placement.api;

import org.jspecify.annotations.NullMarked;
