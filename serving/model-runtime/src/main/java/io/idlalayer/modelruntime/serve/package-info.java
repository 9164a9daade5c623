/** What a serving process uses that has no Deeplearning4j: loads a version and predicts. */
@NullMarked
package io.idlalayer.modelruntime.serve;

import org.jspecify.annotations.NullMarked;
