/**
 * The fault campaign: drives a build of the product from outside, breaks what it stands on, and
 * checks what is left against invariants that know nothing of its code.
 */
@NullMarked
package io.idlalayer.benchmarks.faults;

import org.jspecify.annotations.NullMarked;
