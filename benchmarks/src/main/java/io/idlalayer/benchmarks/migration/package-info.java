/** Experiments with policies that migrate tensors between devices, some of whose speeds change. */
@NullMarked
package io.idlalayer.benchmarks.migration;

import org.jspecify.annotations.NullMarked;
