/** The hot cache that processes of a host share, with the workloads of its source. */
@NullMarked
package io.idlalayer.benchmarks.sharing;

import org.jspecify.annotations.NullMarked;
