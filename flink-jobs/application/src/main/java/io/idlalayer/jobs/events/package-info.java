/**
 * The events of the decision topic and the status topic, as JSON: one per decision, publication and
 * second of progress.
 */
@NullMarked
package io.idlalayer.jobs.events;

import org.jspecify.annotations.NullMarked;
