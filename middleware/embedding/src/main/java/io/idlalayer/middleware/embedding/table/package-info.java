/**
 * The embedding tables of one learner: they gather rows for trainings and predictions, commit
 * trained rows, count and delete ids, remember earlier rows, and give a version its changed rows.
 */
@NullMarked
package io.idlalayer.middleware.embedding.table;

import org.jspecify.annotations.NullMarked;
