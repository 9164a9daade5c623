/** The built-in demonstration: a stream that drifts, repeats itself and lies a little. */
@NullMarked
package io.idlalayer.jobs.demo;

import org.jspecify.annotations.NullMarked;
