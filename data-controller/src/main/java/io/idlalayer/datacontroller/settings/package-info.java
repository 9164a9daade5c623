/** Settings of a data controller, and the FCL rule file that is part of the program. */
@NullMarked
package io.idlalayer.datacontroller.settings;

import org.jspecify.annotations.NullMarked;
