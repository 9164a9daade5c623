/** The published versions of models, as the console's page shows them. */
@NullMarked
package io.idlalayer.console.store;

import org.jspecify.annotations.NullMarked;
