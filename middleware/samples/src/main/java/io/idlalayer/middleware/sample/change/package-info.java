/** Converts samples that were stored before a change of their schema. */
@NullMarked
package io.idlalayer.middleware.sample.change;

import org.jspecify.annotations.NullMarked;
