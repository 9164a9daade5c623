/** Events that an application has refused: reading them, and sending them again. */
@NullMarked
package io.idlalayer.console.letters;

import org.jspecify.annotations.NullMarked;
