/** The file with the prediction for each event, made before a model was trained on the event. */
@NullMarked
package io.idlalayer.jobs.predictions;

import org.jspecify.annotations.NullMarked;
