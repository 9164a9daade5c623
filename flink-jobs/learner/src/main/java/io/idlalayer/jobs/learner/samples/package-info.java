/** How a learner reads its stored samples: ahead of time, through the hot cache, and metered. */
@NullMarked
package io.idlalayer.jobs.learner.samples;

import org.jspecify.annotations.NullMarked;
