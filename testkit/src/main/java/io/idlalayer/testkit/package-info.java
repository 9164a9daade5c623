/**
 * What tests of several modules use: a stand-in for an object store, other processes, the pinned
 * bytes of states, and how often properties are tried. Knows nothing of the product and is never
 * shipped.
 */
@NullMarked
package io.idlalayer.testkit;

import org.jspecify.annotations.NullMarked;
