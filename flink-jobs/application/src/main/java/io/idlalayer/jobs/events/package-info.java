/**
 * The events of the decision topic and the status topic, as JSON. There is an event for each
 * decision, for each publication, and for each second of progress.
 */
@NullMarked
package io.idlalayer.jobs.events;

import org.jspecify.annotations.NullMarked;
