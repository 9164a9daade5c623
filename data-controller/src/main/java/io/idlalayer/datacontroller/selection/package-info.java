/** Which samples an update trains on. */
@NullMarked
package io.idlalayer.datacontroller.selection;

import org.jspecify.annotations.NullMarked;
