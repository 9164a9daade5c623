/**
 * How good the model in service is, in numbers: test-then-train results beside the lines that any
 * model must beat. Needs no training engine.
 */
@NullMarked
package io.idlalayer.modelcontroller.quality;

import org.jspecify.annotations.NullMarked;
