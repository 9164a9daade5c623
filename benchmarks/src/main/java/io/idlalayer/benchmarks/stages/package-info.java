/** What a stage decision costs. */
@NullMarked
package io.idlalayer.benchmarks.stages;

import org.jspecify.annotations.NullMarked;
