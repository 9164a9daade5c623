/** Published models, as the page shows them. */
@NullMarked
package io.idlalayer.console.store;

import org.jspecify.annotations.NullMarked;
