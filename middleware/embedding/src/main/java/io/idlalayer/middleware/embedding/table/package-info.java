/**
 * The tables of one learner: they gather rows for trainings and predictions, commit what was
 * trained, count and delete ids, remember what rows were, and tell a version which rows changed.
 */
@NullMarked
package io.idlalayer.middleware.embedding.table;

import org.jspecify.annotations.NullMarked;
