/** Takes arriving samples into the store, and keeps what waits for a label or for training. */
@NullMarked
package io.idlalayer.datacontroller.intake;

import org.jspecify.annotations.NullMarked;
