/**
 * The facts that the console keeps about learners: a bounded number of the newest facts of each
 * kind.
 */
@NullMarked
package io.idlalayer.console.history;

import org.jspecify.annotations.NullMarked;
