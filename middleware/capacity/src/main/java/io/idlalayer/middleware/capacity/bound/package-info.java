/** Lower bounds of what a step moves and how long it takes, whatever the policy. */
@NullMarked
package io.idlalayer.middleware.capacity.bound;

import org.jspecify.annotations.NullMarked;
