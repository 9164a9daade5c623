/** Helpers for primitive values that several modules need: units of time and mixing of bits. */
@NullMarked
package io.idlalayer.middleware.primitive;

import org.jspecify.annotations.NullMarked;
