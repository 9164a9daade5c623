/**
 * One off-heap cache per process, shared by all its subtasks: hot payloads in DRAM, whoever stores
 * the rest.
 */
@NullMarked
package io.idlalayer.middleware.cache;

import org.jspecify.annotations.NullMarked;
