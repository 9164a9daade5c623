/** Lenders of memory that announce themselves on a Kafka topic, and how borrowers find them. */
@NullMarked
package io.idlalayer.jobs.lending;

import org.jspecify.annotations.NullMarked;
