/** Chooses the trained samples that train again with an update. */
@NullMarked
package io.idlalayer.datacontroller.selection;

import org.jspecify.annotations.NullMarked;
