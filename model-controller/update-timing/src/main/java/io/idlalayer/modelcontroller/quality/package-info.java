/**
 * Measures how good the model in service is: test-then-train results, and the results of references
 * that any model should beat. The package needs no training engine.
 */
@NullMarked
package io.idlalayer.modelcontroller.quality;

import org.jspecify.annotations.NullMarked;
