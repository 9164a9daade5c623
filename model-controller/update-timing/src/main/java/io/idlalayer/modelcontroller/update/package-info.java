/**
 * Decides when to train: the update controller with its rule, its settings, and the hard limits.
 * The rules are in the package {@code rule}; the rule that learns is in the package {@code
 * adaptive}.
 */
@NullMarked
package io.idlalayer.modelcontroller.update;

import org.jspecify.annotations.NullMarked;
