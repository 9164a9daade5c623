/** Memory that one process lends to another: its speed, and when it is of use. */
@NullMarked
package io.idlalayer.benchmarks.lending;

import org.jspecify.annotations.NullMarked;
