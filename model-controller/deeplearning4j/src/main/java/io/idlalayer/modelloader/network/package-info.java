/**
 * Creates networks of Deeplearning4j and SameDiff from specifications, and writes and reads their
 * files.
 */
@NullMarked
package io.idlalayer.modelloader.network;

import org.jspecify.annotations.NullMarked;
