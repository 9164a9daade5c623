/** Networks of Deeplearning4j and SameDiff: made from a specification, written and read. */
@NullMarked
package io.idlalayer.modelloader.network;

import org.jspecify.annotations.NullMarked;
