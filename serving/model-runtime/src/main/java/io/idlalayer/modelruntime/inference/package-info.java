/** Serves predictions over HTTP by the Open Inference Protocol. */
@NullMarked
package io.idlalayer.modelruntime.inference;

import org.jspecify.annotations.NullMarked;
