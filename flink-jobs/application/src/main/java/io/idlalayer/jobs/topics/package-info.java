/**
 * The records in the topics of an application, except decisions: headers of events, control
 * records, and dead letters about refused events.
 */
@NullMarked
package io.idlalayer.jobs.topics;

import org.jspecify.annotations.NullMarked;
