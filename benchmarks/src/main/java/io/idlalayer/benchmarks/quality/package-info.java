/**
 * Experiments about quality per cost: which samples are worth training again, and when to train.
 */
@NullMarked
package io.idlalayer.benchmarks.quality;

import org.jspecify.annotations.NullMarked;
