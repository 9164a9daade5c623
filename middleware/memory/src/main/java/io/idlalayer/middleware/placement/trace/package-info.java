/** Replay of a graph's steps on a placed memory without computing anything. */
@NullMarked
package io.idlalayer.middleware.placement.trace;

import org.jspecify.annotations.NullMarked;
