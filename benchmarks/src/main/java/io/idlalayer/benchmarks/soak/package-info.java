/** The soak: hours of one process at a steady rate, and whether anything in it grows. */
@NullMarked
package io.idlalayer.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
