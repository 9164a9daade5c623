/** The processor time that the updates of each learner cost, measured by the clocks of threads. */
@NullMarked
package io.idlalayer.jobs.processor;

import org.jspecify.annotations.NullMarked;
