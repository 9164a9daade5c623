/**
 * Objects on devices, the regions that hold them, leases, moves and evictions. Carries out moves
 * and decides none; placement policies do.
 */
@NullMarked
package io.idlalayer.middleware.memory.object;

import org.jspecify.annotations.NullMarked;
