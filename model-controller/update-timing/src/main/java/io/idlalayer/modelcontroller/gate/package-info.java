/**
 * The release gate: whether a new model is worse than the one in service, told from samples that
 * both have scored and neither has trained on.
 */
@NullMarked
package io.idlalayer.modelcontroller.gate;

import org.jspecify.annotations.NullMarked;
