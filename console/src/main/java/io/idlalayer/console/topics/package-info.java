/** The sources of learners' events: topics of Kafka, or a recorded file. */
@NullMarked
package io.idlalayer.console.topics;

import org.jspecify.annotations.NullMarked;
