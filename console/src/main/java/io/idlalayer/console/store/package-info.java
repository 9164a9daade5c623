/** The published versions of models, in the form in which the console's page shows them. */
@NullMarked
package io.idlalayer.console.store;

import org.jspecify.annotations.NullMarked;
