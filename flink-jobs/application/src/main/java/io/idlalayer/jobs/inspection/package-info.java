/** Shows what a model would see of events, and which memory an application file needs. */
@NullMarked
package io.idlalayer.jobs.inspection;

import org.jspecify.annotations.NullMarked;
