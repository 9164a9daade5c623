/** The files of a model version: specification, scaler and network, and how they are read. */
@NullMarked
package io.idlalayer.modelruntime.artifact;

import org.jspecify.annotations.NullMarked;
