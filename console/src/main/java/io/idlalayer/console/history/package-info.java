/** What the console knows of learners: the newest of everything, bounded. */
@NullMarked
package io.idlalayer.console.history;

import org.jspecify.annotations.NullMarked;
