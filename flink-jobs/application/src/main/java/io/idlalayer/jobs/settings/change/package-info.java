/** Decides after which changes of an application's settings a learner's state can still be used. */
@NullMarked
package io.idlalayer.jobs.settings.change;

import org.jspecify.annotations.NullMarked;
