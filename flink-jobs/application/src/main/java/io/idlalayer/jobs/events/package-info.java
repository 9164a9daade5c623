/**
 * What the decision topic says: one JSON event per decision, publication and second of progress.
 */
@NullMarked
package io.idlalayer.jobs.events;

import org.jspecify.annotations.NullMarked;
