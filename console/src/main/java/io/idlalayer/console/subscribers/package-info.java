/** The subscribers and the versions that they report to serve. */
@NullMarked
package io.idlalayer.console.subscribers;

import org.jspecify.annotations.NullMarked;
