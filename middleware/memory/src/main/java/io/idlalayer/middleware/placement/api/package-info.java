/**
 * What placement policies and the engine that serves them say to each other: kernels, requests, a
 * view of the memory, and actions.
 */
@NullMarked
package io.idlalayer.middleware.placement.api;

import org.jspecify.annotations.NullMarked;
