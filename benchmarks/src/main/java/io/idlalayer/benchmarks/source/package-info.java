/** The experiments of the source, repeated with the product's learner in virtual time. */
@NullMarked
package io.idlalayer.benchmarks.source;

import org.jspecify.annotations.NullMarked;
