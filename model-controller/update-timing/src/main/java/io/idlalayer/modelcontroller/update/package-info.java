/**
 * Decides when to train: the update controller with its rule, its settings, and the hard limits.
 * The rules are in {@code rule}, the one that learns in {@code adaptive}.
 */
@NullMarked
package io.idlalayer.modelcontroller.update;

import org.jspecify.annotations.NullMarked;
