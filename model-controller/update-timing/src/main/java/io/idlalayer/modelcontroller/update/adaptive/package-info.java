/**
 * The rule {@code adaptive}: it simulates many rules and follows the best of them, within a guard
 * that keeps the bound of the DLA rule.
 */
@NullMarked
package io.idlalayer.modelcontroller.update.adaptive;

import org.jspecify.annotations.NullMarked;
