/**
 * The rule {@code adaptive}: it follows the best of many rules that run in its shadow, within a
 * guard that keeps the bound of the DLA rule.
 */
@NullMarked
package io.idlalayer.modelcontroller.update.adaptive;

import org.jspecify.annotations.NullMarked;
