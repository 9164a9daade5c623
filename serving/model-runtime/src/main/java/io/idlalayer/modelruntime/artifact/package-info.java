/** Reads and writes the files of a model version: specification, scaler and network. */
@NullMarked
package io.idlalayer.modelruntime.artifact;

import org.jspecify.annotations.NullMarked;
