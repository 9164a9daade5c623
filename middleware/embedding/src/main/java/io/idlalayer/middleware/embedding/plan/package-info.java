/**
 * The tables of a model: which features use them, what a row holds, and how it begins and learns.
 */
@NullMarked
package io.idlalayer.middleware.embedding.plan;

import org.jspecify.annotations.NullMarked;
