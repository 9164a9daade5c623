/**
 * The records in the topics of an application besides decisions: the headers of events, control
 * records, and letters about events that were refused.
 */
@NullMarked
package io.idlalayer.jobs.topics;

import org.jspecify.annotations.NullMarked;
