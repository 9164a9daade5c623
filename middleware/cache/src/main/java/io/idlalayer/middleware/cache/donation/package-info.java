/**
 * Planning of the memory that each owner donates to the shared hot cache (iMlayer, Rang 2021,
 * chapter 4, algorithm 1): models of task times learned from a log, a plan, and rounds that carry
 * it out.
 */
@NullMarked
package io.idlalayer.middleware.cache.donation;

import org.jspecify.annotations.NullMarked;
