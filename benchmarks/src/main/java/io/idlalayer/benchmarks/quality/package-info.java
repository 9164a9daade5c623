/** Quality per cost: which samples are worth training on again. */
@NullMarked
package io.idlalayer.benchmarks.quality;

import org.jspecify.annotations.NullMarked;
