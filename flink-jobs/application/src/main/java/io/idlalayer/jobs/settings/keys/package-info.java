/** The keys of an application file, and the forms of their values, as its reader accepts them. */
@NullMarked
package io.idlalayer.jobs.settings.keys;

import org.jspecify.annotations.NullMarked;
