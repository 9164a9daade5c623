/**
 * Helpers for the tests of several modules: a stand-in for an object store, other processes, the
 * pinned bytes of states, and the number of tries of properties. It does not depend on the product
 * and is never shipped.
 */
@NullMarked
package io.idlalayer.testkit;

import org.jspecify.annotations.NullMarked;
