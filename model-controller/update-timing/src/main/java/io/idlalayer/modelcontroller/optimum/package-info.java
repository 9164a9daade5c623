/**
 * Computes the cheapest schedules of updates in hindsight, with which the costs of update rules are
 * compared.
 */
@NullMarked
package io.idlalayer.modelcontroller.optimum;

import org.jspecify.annotations.NullMarked;
