/** A slow device that consists of several places, used in the order of their measured cost. */
@NullMarked
package io.idlalayer.middleware.memory.places;

import org.jspecify.annotations.NullMarked;
