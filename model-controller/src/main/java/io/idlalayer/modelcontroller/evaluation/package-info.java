/** How good the model in service is: test-then-train scoring and its reference lines. */
@NullMarked
package io.idlalayer.modelcontroller.evaluation;

import org.jspecify.annotations.NullMarked;
