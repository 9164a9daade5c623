/** The files of a model version: specification, scaler and network, and how they are read. */
@NullMarked
package io.idlalayer.modelloader.artifact;

import org.jspecify.annotations.NullMarked;
