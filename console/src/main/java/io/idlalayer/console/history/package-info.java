/** The facts about learners that the console keeps: the newest of each kind, in bounded number. */
@NullMarked
package io.idlalayer.console.history;

import org.jspecify.annotations.NullMarked;
