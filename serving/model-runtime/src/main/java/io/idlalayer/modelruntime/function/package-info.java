/** Functions of numbers that the training engine and the runtime share. */
@NullMarked
package io.idlalayer.modelruntime.function;

import org.jspecify.annotations.NullMarked;
