/** Arithmetic on primitive values that several modules need: units of time, mixing of bits. */
@NullMarked
package io.idlalayer.middleware.primitive;

import org.jspecify.annotations.NullMarked;
