/** The API for a serving process without Deeplearning4j: loads a version and predicts. */
@NullMarked
package io.idlalayer.modelruntime.serve;

import org.jspecify.annotations.NullMarked;
