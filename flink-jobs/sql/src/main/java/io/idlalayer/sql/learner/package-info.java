/** The table {@code 'connector' = 'idla'}, whose rows an application learns. */
@NullMarked
package io.idlalayer.sql.learner;

import org.jspecify.annotations.NullMarked;
