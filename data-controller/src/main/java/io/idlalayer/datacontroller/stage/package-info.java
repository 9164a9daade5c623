/** The life stages of samples: events, transitions, scores and classification. */
@NullMarked
package io.idlalayer.datacontroller.stage;

import org.jspecify.annotations.NullMarked;
