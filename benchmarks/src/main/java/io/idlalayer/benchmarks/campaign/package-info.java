/**
 * Drives a build of the product from outside. The fault campaign breaks what the build stands on,
 * and checks what is left against invariants that know nothing of its code; the soak test runs it
 * for hours at a steady rate and says whether anything in it grows.
 */
@NullMarked
package io.idlalayer.benchmarks.campaign;

import org.jspecify.annotations.NullMarked;
