/**
 * Capacity plans: what {@code idla plan} has measured and predicted, as a file that the console
 * shows.
 */
@NullMarked
package io.idlalayer.jobs.capacityplan;

import org.jspecify.annotations.NullMarked;
