/** The life of a sample: stages, events, transitions and classification. */
@NullMarked
package io.idlalayer.datacontroller.stage;

import org.jspecify.annotations.NullMarked;
