/**
 * The history of keys: the facts about earlier events of each key that are context of its later
 * events.
 */
@NullMarked
package io.idlalayer.middleware.sample.history;

import org.jspecify.annotations.NullMarked;
