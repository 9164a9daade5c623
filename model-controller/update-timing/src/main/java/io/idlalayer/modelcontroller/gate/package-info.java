/**
 * The release gate: compares a new model with the one in service on samples that both have scored
 * and neither has trained on.
 */
@NullMarked
package io.idlalayer.modelcontroller.gate;

import org.jspecify.annotations.NullMarked;
