/** Computes predictions of networks in plain Java, and reads the networks from their files. */
@NullMarked
package io.idlalayer.modelruntime.network;

import org.jspecify.annotations.NullMarked;
