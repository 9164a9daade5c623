/** From the commit of a version to its service. */
@NullMarked
package io.idlalayer.benchmarks.serving;

import org.jspecify.annotations.NullMarked;
