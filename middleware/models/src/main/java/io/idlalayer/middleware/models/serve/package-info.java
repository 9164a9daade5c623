/**
 * The subscriber, which keeps a serving process on the newest version of a model, and its parts.
 */
@NullMarked
package io.idlalayer.middleware.models.serve;

import org.jspecify.annotations.NullMarked;
