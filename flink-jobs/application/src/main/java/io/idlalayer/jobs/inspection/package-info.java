/** Shows what a model would see of events, and what an application file claims of a machine. */
@NullMarked
package io.idlalayer.jobs.inspection;

import org.jspecify.annotations.NullMarked;
