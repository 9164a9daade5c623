/**
 * The embedding tables of a model: which features use them, the layout of their rows, and how rows
 * are initialized and trained.
 */
@NullMarked
package io.idlalayer.middleware.embedding.plan;

import org.jspecify.annotations.NullMarked;
