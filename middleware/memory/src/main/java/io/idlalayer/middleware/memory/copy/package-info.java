/**
 * Copying of bytes between devices, on the caller's thread or in the background, with counts and
 * times.
 */
@NullMarked
package io.idlalayer.middleware.memory.copy;

import org.jspecify.annotations.NullMarked;
