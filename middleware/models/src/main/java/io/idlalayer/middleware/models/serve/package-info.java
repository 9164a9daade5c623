/** The subscriber: keeps a serving process on the newest version. */
@NullMarked
package io.idlalayer.middleware.models.serve;

import org.jspecify.annotations.NullMarked;
