/**
 * The rule {@code adaptive}: the rule simulates many rules and follows the cheapest of them, within
 * a guard that keeps the cost of the schedule below {@code rho} times the optimum.
 */
@NullMarked
package io.idlalayer.modelcontroller.update.adaptive;

import org.jspecify.annotations.NullMarked;
