/** Copies between devices, how many there were, and how long they took. */
@NullMarked
package io.idlalayer.middleware.memory.copy;

import org.jspecify.annotations.NullMarked;
