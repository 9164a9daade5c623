/** Measurements of placement policies with networks that train: {@code idla bench tensors}. */
@NullMarked
package io.idlalayer.benchmarks.tensors;

import org.jspecify.annotations.NullMarked;
