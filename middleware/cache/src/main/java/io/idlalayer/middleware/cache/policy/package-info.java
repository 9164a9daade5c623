/**
 * Which block leaves a full cache: eviction policies over slots, and one that chooses among them.
 */
@NullMarked
package io.idlalayer.middleware.cache.policy;

import org.jspecify.annotations.NullMarked;
