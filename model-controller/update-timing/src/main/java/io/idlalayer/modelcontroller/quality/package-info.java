/**
 * Measures how good the model in service is: test-then-train results beside the references that any
 * model must beat. Needs no training engine.
 */
@NullMarked
package io.idlalayer.modelcontroller.quality;

import org.jspecify.annotations.NullMarked;
