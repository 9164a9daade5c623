/** When to update: the rules against the optimum. */
@NullMarked
package io.idlalayer.benchmarks.timing;

import org.jspecify.annotations.NullMarked;
