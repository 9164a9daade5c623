/**
 * The release gate: compares a new model with the model in service, on samples that both have
 * scored and on which neither was trained.
 */
@NullMarked
package io.idlalayer.modelcontroller.gate;

import org.jspecify.annotations.NullMarked;
