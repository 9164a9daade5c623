/** The rows of embedding tables with which versions are published, changes or all of them. */
@NullMarked
package io.idlalayer.jobs.rows;

import org.jspecify.annotations.NullMarked;
