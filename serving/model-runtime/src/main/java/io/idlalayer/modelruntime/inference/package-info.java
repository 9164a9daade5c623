/** Answers predictions over HTTP, as the Open Inference Protocol says. */
@NullMarked
package io.idlalayer.modelruntime.inference;

import org.jspecify.annotations.NullMarked;
