/** How to train: the trainer port and its Deeplearning4j implementation, the only user of DL4J. */
@NullMarked
package io.idlalayer.modelcontroller.training;

import org.jspecify.annotations.NullMarked;
