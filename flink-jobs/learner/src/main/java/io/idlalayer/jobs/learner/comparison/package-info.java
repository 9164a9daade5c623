/** Tests older versions of the model on the events that test the model itself. */
@NullMarked
package io.idlalayer.jobs.learner.comparison;

import org.jspecify.annotations.NullMarked;
