/** Events that an application could not take: what they are, and sending them again. */
@NullMarked
package io.idlalayer.console.letters;

import org.jspecify.annotations.NullMarked;
