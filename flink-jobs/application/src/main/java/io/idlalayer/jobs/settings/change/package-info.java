/** Which changes of an application's settings a learner's state may go on with. */
@NullMarked
package io.idlalayer.jobs.settings.change;

import org.jspecify.annotations.NullMarked;
