/** Settings of a data controller, and the rule file that ships. */
@NullMarked
package io.idlalayer.datacontroller.settings;

import org.jspecify.annotations.NullMarked;
