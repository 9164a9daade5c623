/** Serves predictions over gRPC by the Open Inference Protocol. */
@NullMarked
package io.idlalayer.inferencegrpc;

import org.jspecify.annotations.NullMarked;
