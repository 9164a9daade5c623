/**
 * Stores arriving samples, and keeps the queues of samples that wait for a label or for training.
 */
@NullMarked
package io.idlalayer.datacontroller.intake;

import org.jspecify.annotations.NullMarked;
