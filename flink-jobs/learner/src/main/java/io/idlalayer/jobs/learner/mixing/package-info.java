/**
 * The part of a learner that learns one model together with the other partitions of its
 * application: what it contributes, and what it adopts.
 */
@NullMarked
package io.idlalayer.jobs.learner.mixing;

import org.jspecify.annotations.NullMarked;
