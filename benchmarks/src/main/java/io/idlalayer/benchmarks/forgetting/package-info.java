/** What it costs to forget samples, and whether they are forgotten. */
@NullMarked
package io.idlalayer.benchmarks.forgetting;

import org.jspecify.annotations.NullMarked;
