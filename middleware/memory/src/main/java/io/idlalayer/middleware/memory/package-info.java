/**
 * Tiered memory: devices, their regions, objects that have a copy on one device or on several, and
 * the mechanism by which they move. It decides nothing; placement policies do.
 */
@NullMarked
package io.idlalayer.middleware.memory;

import org.jspecify.annotations.NullMarked;
