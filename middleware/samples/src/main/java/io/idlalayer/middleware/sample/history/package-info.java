/**
 * The history of keys: what is kept of the earlier events of each key as context of its later ones.
 */
@NullMarked
package io.idlalayer.middleware.sample.history;

import org.jspecify.annotations.NullMarked;
