/** Fields inside the objects, arrays and maps of an event, which are named by paths. */
@NullMarked
package io.idlalayer.middleware.sample.path;

import org.jspecify.annotations.NullMarked;
