/** How ND4J is set up in a process, and who may use its native memory. */
@NullMarked
package io.idlalayer.modelloader.nd4j;

import org.jspecify.annotations.NullMarked;
