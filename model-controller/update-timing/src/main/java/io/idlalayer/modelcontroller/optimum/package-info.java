/** The cheapest schedules in hindsight: what update rules are measured against. */
@NullMarked
package io.idlalayer.modelcontroller.optimum;

import org.jspecify.annotations.NullMarked;
